/** What a deployment may set of the embedded log. */
export interface SqliteEventLogOptions {
  /** Where `log.db` lies; created when it is missing. One process has it open at a time. */
  readonly directory: string;
  /** An append that is not answered in this time fails. Default 10,000. */
  readonly appendTimeoutMs?: number;
  /** Appends and bytes that may wait; more is refused as `overloaded`. Default 10,000, 64 MiB. */
  readonly maxQueuedAppends?: number;
  readonly maxQueuedBytes?: number;
  /** What one transaction may hold. Default 1,024 appends, 8 MiB. */
  readonly maxBatchAppends?: number;
  readonly maxBatchBytes?: number;
  /** Committed events kept in memory for live pulls. Default 2,048, 8 MiB. */
  readonly tailEvents?: number;
  readonly tailBytes?: number;
  /** The script of the writer thread; tests put faults into one. */
  readonly writerEntry?: URL;
}
