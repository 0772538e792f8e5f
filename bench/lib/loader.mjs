/** The handle of the load generator, which runs in a process of its own. */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const LOAD = new URL('./load-worker.mjs', import.meta.url);

export class Loader {
  #child;

  /** @param worker the program that does the jobs */
  constructor(worker = LOAD) {
    this.#child = fork(fileURLToPath(worker), { execArgv: [] });
  }

  /** One job at a time. */
  async run(job, options) {
    const answer = new Promise((resolve, reject) => {
      this.#child.once('message', resolve);
      this.#child.once('exit', () => reject(new Error('the load generator ended')));
    });
    this.#child.send({ job, options });
    const { result, error } = await answer;
    this.#child.removeAllListeners('exit');
    if (error !== undefined) throw new Error(`the load generator failed: ${error}`);
    return result;
  }

  /** As {@link run} for load: a figure with failures in it is none. */
  async measure(job, options) {
    const result = await this.run(job, options);
    if (result.failures > 0) {
      const statuses = JSON.stringify(result.statuses ?? {});
      throw new Error(`${result.failures} requests failed (${statuses}): no figure`);
    }
    return result;
  }

  close() {
    this.#child.kill();
  }
}
