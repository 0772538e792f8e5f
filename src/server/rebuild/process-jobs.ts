/** Builds generations in processes of their own: the server's event loop stays free. */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { ReadModelLockedError } from '../../projections/read-model/read-model.js';
import type { RebuildJobs } from '../../projections/runtime/generations/rebuild-jobs.js';
import type { PlanlogConfig } from '../config.js';

/** A job that was told to end and does not is killed after this, milliseconds: nothing is lost. */
const END_WITHIN_MS = 1_000;

/** What a job's process exits with where another job builds the generation: "try again later". */
export const LOCKED_EXIT_CODE = 75;

/**
 * @param config of the server: what a job needs of it goes into the job's environment
 * @param started told of each process that is started, with its id
 */
export function processJobs(
  { dataDir, eventStore }: Pick<PlanlogConfig, 'dataDir' | 'eventStore'>,
  started: (pid: number | undefined) => void = () => undefined,
): RebuildJobs {
  const entry = fileURLToPath(new URL('./rebuild-job.js', import.meta.url));
  const env = {
    ...process.env,
    PLANLOG_DATA_DIR: dataDir,
    EVENTSTORE_URL: eventStore?.url ?? '',
    EVENTSTORE_COMPRESSION: eventStore?.compression ?? '',
  };
  return {
    run: ({ projection, version, generation }, signal) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) {
          resolve();
          return;
        }
        const child = fork(entry, [projection, generation.toString()], {
          env,
          execArgv: [],
          stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
        });
        started(child.pid);
        let timer: NodeJS.Timeout | undefined;
        const end = (): void => {
          child.kill('SIGTERM');
          timer = setTimeout(() => child.kill('SIGKILL'), END_WITHIN_MS);
        };
        signal.addEventListener('abort', end, { once: true });
        const over = (settle: () => void): void => {
          clearTimeout(timer);
          signal.removeEventListener('abort', end);
          settle();
        };
        child.once('error', (error) => {
          over(() => {
            reject(error);
          });
        });
        child.once('exit', (code, killedBy) => {
          over(() => {
            if (code === 0) resolve();
            else if (code === LOCKED_EXIT_CODE)
              reject(new ReadModelLockedError(`${projection}.v${version}.g${generation}`));
            else
              reject(new Error(`its process ended with ${killedBy ?? `exit code ${code ?? 0}`}`));
          });
        });
      }),
  };
}
