/**
 * Opens the log on EventStoreDB: waits for the server with backoff and says so, and names what
 * a person has to mend instead of waiting for it.
 */
import { UnavailableError } from '../errors.js';
import { messageOf, settingProblem } from './classify-error.js';
import { connectionProblem } from './connection-problem.js';
import { connectionSettings, type ConnectionSettings } from './connection-settings.js';
import { EsdbEventLog } from './esdb-event-log.js';
import { limitsOf, type EsdbEventLogOptions, type EsdbReport } from './esdb-options.js';

/** The log cannot be opened until somebody changes a setting, a certificate or a right. */
export class EsdbStartError extends Error {
  override readonly name = 'EsdbStartError';
}

const FIRST_WAIT_MS = 200;
const LONGEST_WAIT_MS = 5_000;

/**
 * Opens the log and gives it its id where it has none. Resolves when appends and subscriptions
 * both work.
 *
 * @throws {ConnectionStringError} | {EsdbStartError} waiting would not help
 * @throws {UnavailableError} not reachable within `startTimeoutMs`, or given up by `signal`
 */
export async function openEsdbEventLog(options: EsdbEventLogOptions): Promise<EsdbEventLog> {
  const settings = connectionSettings(options.connectionString);
  const report = harmless(options.report);
  const log = new EsdbEventLog({
    settings,
    compression: options.compression ?? 'off',
    limits: limitsOf(options),
    report,
  });
  try {
    await untilReady(log, settings, { ...options, report });
    return log;
  } catch (error) {
    await log.close();
    throw error;
  }
}

/** A report that throws must not stop what it reports. */
function harmless(report: EsdbReport | undefined): EsdbReport {
  return (...args) => {
    try {
      report?.(...args);
    } catch {
      // Its owner's fault, and nowhere left to say so.
    }
  };
}

async function untilReady(
  log: EsdbEventLog,
  settings: ConnectionSettings,
  { report, signal, streamPrefixes = [], startTimeoutMs = Infinity }: EsdbEventLogOptions,
): Promise<void> {
  const { target } = settings;
  const start = performance.now();
  for (let wait = FIRST_WAIT_MS; ; wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
    try {
      signal?.throwIfAborted();
      const missing = await log.probe(streamPrefixes);
      if (missing.length === 0) return;
      throw new EsdbStartError(`EventStoreDB at ${target}: ${missingText(missing, settings)}`);
    } catch (error) {
      if (signal?.aborted) {
        throw new UnavailableError('closed', 'opening the log was given up', { cause: error });
      }
      if (error instanceof EsdbStartError) throw error;
      const problem = startProblem(error) ?? (await connectionProblem(settings));
      if (problem !== undefined) {
        throw new EsdbStartError(`EventStoreDB at ${target}: ${problem}`, { cause: error });
      }
      if (performance.now() - start + wait > startTimeoutMs) throw error;
      report?.(
        'warn',
        `EventStoreDB at ${target} is not ready: ${messageOf(error)}; trying again in ${wait} ms`,
        error,
      );
      await sleep(wait, signal);
    }
  }
}

/** What waiting does not mend: a password, a certificate, the scheme. */
function startProblem(error: unknown): string | undefined {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    const problem = settingProblem(at);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function missingText(missing: readonly string[], { credentials }: ConnectionSettings): string {
  const who =
    credentials === undefined
      ? 'the connection string names no user, and who has no name'
      : `the user ${credentials.username}`;
  return `${who} may not ${missing.join('; may not ')}. See "Rights" in docs/eventstoredb.md`;
}

function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener('abort', done);
  });
}
