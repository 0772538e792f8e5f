/**
 * Opens the log on EventStoreDB: waits for the server with backoff and says so, and names what
 * a person has to mend instead of waiting for it.
 */
import { UnavailableError } from '../errors.js';
import { messageOf, settingProblem } from './classify-error.js';
import { connectionSettings } from './connection-settings.js';
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
    await untilReady(log, settings.target, { ...options, report });
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
  target: string,
  { report, signal, startTimeoutMs = Infinity }: EsdbEventLogOptions,
): Promise<void> {
  const start = performance.now();
  for (let wait = FIRST_WAIT_MS; ; wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
    try {
      signal?.throwIfAborted();
      await log.probe();
      return;
    } catch (error) {
      if (signal?.aborted) {
        throw new UnavailableError('closed', 'opening the log was given up', { cause: error });
      }
      const problem = startProblem(error);
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

/** What waiting does not mend: a right, a password, a certificate, the scheme. */
function startProblem(error: unknown): string | undefined {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    const problem = settingProblem(at);
    if (problem !== undefined) return problem;
  }
  return isDenied(error) ? messageOf(error) : undefined;
}

function isDenied(error: unknown): boolean {
  const cause: unknown = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && Reflect.get(cause, 'type') === 'access-denied';
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
