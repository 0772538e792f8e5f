/**
 * Keeps a read model's -wal small. Copying it into the file syncs twice, which would stall the
 * event loop for some 50 ms, so a thread does it: started when first needed, as most servers
 * are idle.
 */
import { Worker } from 'node:worker_threads';

/** SQLite's, as the files are made. */
const PAGE_BYTES = 4_096;

export class WalKeeper {
  readonly #path: string;
  readonly #copyAtBytes: number;
  readonly #entry: URL;
  readonly #onFailure: () => void;
  #written = 0;
  #worker: Worker | undefined;
  #copying: Promise<void> | undefined;
  #pause: Promise<void> | undefined;
  #closed = false;

  /**
   * @param copyAtBytes about how much is written before it is copied
   * @param onFailure the thread is gone, and nothing more is copied from here
   */
  constructor(
    path: string,
    copyAtBytes: number,
    onFailure: () => void,
    entry = new URL('./wal-worker.js', import.meta.url),
  ) {
    this.#path = path;
    this.#copyAtBytes = copyAtBytes;
    this.#onFailure = onFailure;
    this.#entry = entry;
  }

  /** While it is set no commit may begin; it never rejects. */
  get pause(): Promise<void> | undefined {
    return this.#pause;
  }

  /**
   * Told of each commit.
   *
   * @param jsonBytes of its rows
   */
  committed(rows: number, jsonBytes: number): void {
    // A page for each row and one for the checkpoint, where rows are small.
    this.#written += PAGE_BYTES * (rows + 1) + jsonBytes;
    if (this.#written < this.#copyAtBytes || this.#copying || this.#closed) return;
    this.#written = 0;
    this.#copying = this.#copy();
  }

  /** Ends the thread, after what it is at. No commit may come any more. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#copying;
    await this.#worker?.terminate();
  }

  async #copy(): Promise<void> {
    try {
      const worker = (this.#worker ??= start(this.#entry, this.#path));
      worker.ref();
      // Most of it, while commits go on.
      await copied(worker);
      // The rest, which is little, while none does: only a -wal that was copied whole is
      // written from its beginning again.
      const rest = copied(worker);
      this.#pause = rest.catch(() => undefined);
      await rest;
      worker.unref();
    } catch {
      this.#worker = undefined;
      this.#closed = true;
      this.#onFailure();
    } finally {
      this.#pause = undefined;
      this.#copying = undefined;
    }
  }
}

function start(entry: URL, path: string): Worker {
  const worker = new Worker(entry, { workerData: path });
  // Its exit follows.
  worker.on('error', () => undefined);
  return worker;
}

/** Resolves when the thread has copied; rejects when it ends instead. */
function copied(worker: Worker): Promise<void> {
  return new Promise((resolve, reject) => {
    const done = (): void => {
      worker.off('exit', lost);
      resolve();
    };
    const lost = (): void => {
      worker.off('message', done);
      reject(new Error('the thread ended'));
    };
    worker.once('message', done);
    worker.once('exit', lost);
    worker.postMessage('copy');
  });
}
