/** The stock server as a process of its own, which can be killed. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';

const MAIN = 'dist/src/server/main.js';
const START_WITHIN_MS = 15_000;

export class ServerProcess {
  private constructor(
    private readonly child: ChildProcess,
    readonly url: string,
  ) {}

  /**
   * Resolves when it says where it listens.
   *
   * @param env variables beside the port, the directory and the log's level
   */
  static async start(directory: string, env: NodeJS.ProcessEnv = {}): Promise<ServerProcess> {
    const own = { PORT: '0', PLANLOG_DATA_DIR: directory, PLANLOG_LOG_LEVEL: 'error' };
    const child = spawn(process.execPath, [MAIN], {
      env: { ...process.env, ...own, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const url = await listening(child);
    return new ServerProcess(child, url);
  }

  /** SIGKILL: no handler runs, nothing is flushed. */
  async kill(): Promise<void> {
    const exited = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await exited;
  }

  /** SIGTERM. Returns the exit code. */
  async stop(): Promise<number | null> {
    const exited = once(this.child, 'exit');
    this.child.kill('SIGTERM');
    const [code] = (await exited) as [number | null];
    return code;
  }
}

function listening(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = '';
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`the server did not start in time: ${said}`));
    }, START_WITHIN_MS);
    const hear = (chunk: Buffer) => {
      said += chunk.toString();
      const url = /listening on (http:\/\/\S+)/.exec(said)?.[1];
      if (url === undefined) return;
      clearTimeout(timer);
      resolve(url);
    };
    child.stdout?.on('data', hear);
    child.stderr?.on('data', hear);
    child.once('exit', (code) => {
      clearTimeout(timer);
      reject(new Error(`the server ended with ${code}: ${said}`));
    });
  });
}
