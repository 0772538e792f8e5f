/** What a deployment may set of the log on EventStoreDB, and the limits that hold otherwise. */

/** Why something is said; `problem` is for a person to act on. */
export type EsdbReportLevel = 'info' | 'warn' | 'problem';

/** Told of waiting, reconnecting and of what a person has to mend. Must not throw. */
export type EsdbReport = (level: EsdbReportLevel, message: string, error?: unknown) => void;

export interface EsdbEventLogOptions {
  /** `esdb://[user:password@]host[:port][,host…][?tls=…]`, or `esdb+discover://host`. */
  readonly connectionString: string;
  /** Whether the server may compress its responses. `off` doubles appends and triples reads
   * inside a data centre; `gzip` is for slow networks. Default `off`. */
  readonly compression?: 'off' | 'gzip';
  /** An append that is not answered in this time has an unknown outcome. Default 10,000. */
  readonly appendTimeoutMs?: number;
  /** A read that is not answered in this time fails. Default 10,000. */
  readonly readTimeoutMs?: number;
  /** Appends and bytes that may be under way; more is refused as `overloaded`. Default 4,096
   * and 64 MiB. */
  readonly maxPendingAppends?: number;
  readonly maxPendingBytes?: number;
  /** How often a pull that waits is compared with the end of the log. Default 1,000. */
  readonly headPollMs?: number;
  /** Streams whose names begin with these are going to be read and written: opening checks that
   * the user may do that, with their metadata too. Default: none is checked. */
  readonly streamPrefixes?: readonly string[];
  /** How long opening waits for a server that cannot be reached. Default: for ever. */
  readonly startTimeoutMs?: number;
  /** Gives up opening. */
  readonly signal?: AbortSignal;
  readonly report?: EsdbReport;
}

export interface EsdbLimits {
  readonly appendTimeoutMs: number;
  readonly readTimeoutMs: number;
  readonly maxPendingAppends: number;
  readonly maxPendingBytes: number;
  readonly headPollMs: number;
}

export function limitsOf(options: EsdbEventLogOptions): EsdbLimits {
  return {
    appendTimeoutMs: options.appendTimeoutMs ?? 10_000,
    readTimeoutMs: options.readTimeoutMs ?? 10_000,
    maxPendingAppends: options.maxPendingAppends ?? 4_096,
    maxPendingBytes: options.maxPendingBytes ?? 64 * 1024 * 1024,
    headPollMs: options.headPollMs ?? 1_000,
  };
}
