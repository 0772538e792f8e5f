/** The log's handle of its writer thread: starts it, speaks to it, ends it. */
import { Worker } from 'node:worker_threads';
import { messageOf } from './sqlite-errors.js';
import type { BatchReply, TruncateReply, WriterReply, WriterRequest } from './writer-messages.js';

/** What the log hears from its writer. */
export interface WriterListener {
  onBatch(reply: BatchReply): void;
  onTruncated(reply: TruncateReply): void;
  /** The thread is gone, though nobody asked it to end. */
  onDeath(message: string): void;
}

/** How long a thread may take to end by itself, then to be ended. */
const END_TIMEOUT_MS = 2_000;

export class WriterThread {
  readonly #worker: Worker;
  readonly #exited: Promise<void>;
  #listener: WriterListener | undefined;
  #ending = false;

  private constructor(entry: URL, path: string) {
    this.#worker = new Worker(entry, { workerData: path });
    this.#exited = new Promise((resolve) => {
      this.#worker.once('exit', () => {
        resolve();
      });
    });
  }

  /** Resolves once the thread has the file open; rejects with the reason when it cannot. */
  static async start(entry: URL, path: string, listener: WriterListener): Promise<WriterThread> {
    const thread = new WriterThread(entry, path);
    const worker = thread.#worker;
    await new Promise<void>((resolve, reject) => {
      worker.on('message', (reply: WriterReply) => {
        if (reply.kind === 'ready') resolve();
        else if (reply.kind === 'start_failed') reject(new Error(reply.message));
        else if (reply.kind === 'truncated') thread.#listener?.onTruncated(reply);
        else thread.#listener?.onBatch(reply);
      });
      const die = (message: string): void => {
        reject(new Error(message));
        if (!thread.#ending) thread.#listener?.onDeath(message);
      };
      worker.once('error', (error) => {
        die(messageOf(error));
      });
      worker.once('exit', (code) => {
        die(`the writer ended (${code})`);
      });
    }).catch(async (error: unknown) => {
      await thread.terminate();
      throw error;
    });
    thread.#listener = listener;
    return thread;
  }

  send(request: WriterRequest): void {
    this.#worker.postMessage(request);
  }

  /** Lets the thread close the file and end. Resolves with whether it is gone. */
  async end(): Promise<boolean> {
    this.#ending = true;
    this.send({ kind: 'close' });
    return (await this.#goneWithin(END_TIMEOUT_MS)) || this.terminate();
  }

  /** Ends the thread as it stands. A thread that hangs in a system call does not end. */
  async terminate(): Promise<boolean> {
    this.#ending = true;
    void this.#worker.terminate();
    const gone = await this.#goneWithin(END_TIMEOUT_MS);
    if (!gone) this.#worker.unref();
    return gone;
  }

  async #goneWithin(ms: number): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(resolve, ms, false);
    });
    const gone = await Promise.race([this.#exited.then(() => true), late]);
    clearTimeout(timer);
    return gone;
  }
}
