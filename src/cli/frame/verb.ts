/** What a sub-command of `planlog` is, and what it is given. */

/** How a sub-command can end: the process exits with it. */
export const EXIT = {
  done: 0,
  /** It was tried and could not be done; standard error says why. */
  failed: 1,
  /** It was not tried: an argument or a variable cannot be used. */
  usage: 2,
  /** Two things that were compared are not the same. */
  differs: 3,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** The world as a sub-command sees it. */
export interface CliContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Writes to standard output: what was asked for, and nothing else. */
  readonly out: (text: string) => void;
  /** Writes to standard error: progress, warnings, failures. */
  readonly err: (text: string) => void;
  /** True where a person sees standard error: progress can be drawn over. */
  readonly isTerminal: boolean;
  /** Aborts at the first SIGINT or SIGTERM. */
  readonly signal: AbortSignal;
}

/** Carries a sub-command out. */
export type RunVerb = (args: readonly string[], context: CliContext) => Promise<ExitCode>;

export interface Verb {
  readonly name: string;
  /** One line, for the list of all. */
  readonly summary: string;
  /** What `--help` prints, without a line break at its end. */
  readonly usage: string;
  /** Offered to people, or only started by Planlog itself. */
  readonly hidden?: boolean;
  /** Loads what carries it out: a sub-command loads only what it needs. */
  readonly load: () => Promise<RunVerb>;
}

/** A failure that was foreseen: one line says what is wrong and what to do. */
export class CliError extends Error {
  override readonly name: string = 'CliError';

  /** @param exitCode what the process exits with */
  constructor(
    message: string,
    readonly exitCode: ExitCode = EXIT.failed,
  ) {
    super(message);
  }
}

/** The command line or the environment cannot be used. Nothing was done. */
export class UsageError extends CliError {
  override readonly name = 'UsageError';

  constructor(message: string) {
    super(message, EXIT.usage);
  }
}
