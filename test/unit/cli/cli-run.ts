/** Runs the command line in this process and keeps what it says. */
import { runCli } from '../../../src/cli/frame/run-cli.js';
import type { CliContext, ExitCode, Verb } from '../../../src/cli/frame/verb.js';
import { VERBS } from '../../../src/cli/verbs.js';

export interface CliRun {
  readonly code: ExitCode;
  readonly out: string;
  readonly err: string;
}

export interface CliSetting {
  readonly env?: CliContext['env'];
  readonly isTerminal?: boolean;
  readonly signal?: AbortSignal;
  readonly verbs?: readonly Verb[];
  /** Told of each write to standard output. */
  readonly onOut?: (text: string) => void;
}

/** @param args what follows `planlog` */
export async function planlog(args: readonly string[], setting: CliSetting = {}): Promise<CliRun> {
  const { env = {}, isTerminal = false, verbs = VERBS } = setting;
  const { signal = new AbortController().signal } = setting;
  let said = '';
  let complained = '';
  const out = (text: string): void => {
    said += text;
    setting.onOut?.(text);
  };
  const err = (text: string): void => void (complained += text);
  const version = (): Promise<string> => Promise.resolve('1.2.3');
  const code = await runCli(verbs, args, version, { env, out, err, isTerminal, signal });
  return { code, out: said, err: complained };
}
