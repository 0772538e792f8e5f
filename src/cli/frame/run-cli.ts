/** Finds the sub-command that was asked for, has it carried out, and says how it ended. */
import { CliError, EXIT, UsageError, type CliContext, type ExitCode, type Verb } from './verb.js';

/**
 * @param verbs all sub-commands, in the order in which they are listed
 * @param args what follows `planlog` on the command line
 * @param version of the package, for `--version`
 * @returns what the process is to exit with; it never throws
 */
export async function runCli(
  verbs: readonly Verb[],
  args: readonly string[],
  version: () => Promise<string>,
  context: CliContext,
): Promise<ExitCode> {
  const [name, ...rest] = args;
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    const asked = verbs.find((verb) => verb.name === rest[0]);
    const text = `${asked?.usage ?? overview(verbs)}\n`;
    if (name !== undefined) context.out(text);
    else context.err(text);
    return name === undefined ? EXIT.usage : EXIT.done;
  }
  if (name === '--version') {
    context.out(`${await version()}\n`);
    return EXIT.done;
  }
  const verb = verbs.find((one) => one.name === name);
  if (verb === undefined) {
    context.err(`planlog: there is no "${printable(name)}"; planlog --help lists what there is\n`);
    return EXIT.usage;
  }
  if (asksForHelp(rest)) {
    context.out(`${verb.usage}\n`);
    return EXIT.done;
  }
  try {
    const run = await verb.load();
    return await run(rest, context);
  } catch (error) {
    return failed(verb, error, context);
  }
}

function overview(verbs: readonly Verb[]): string {
  const shown = verbs.filter(({ hidden }) => hidden !== true);
  const width = Math.max(...shown.map(({ name }) => name.length));
  return [
    'Usage: planlog <command> [options]',
    '',
    ...shown.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`),
    '',
    'planlog <command> --help tells more. Commands that need a server ask the one at',
    'PLANLOG_URL (http://127.0.0.1:3000 by default), with PLANLOG_TOKEN as bearer token',
    'if it is set.',
    '',
    'Exit codes: 0 done, 1 failed, 2 wrong usage, 3 what was compared differs.',
  ].join('\n');
}

/** What comes after `--` is no option. */
function asksForHelp(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  const options = end === -1 ? args : args.slice(0, end);
  return options.includes('--help') || options.includes('-h');
}

function failed({ name }: Verb, error: unknown, context: CliContext): ExitCode {
  const usage = error instanceof UsageError || isParseArgsError(error);
  const help = usage ? `; planlog ${name} --help tells more` : '';
  context.err(`planlog ${name}: ${printable(reasonOf(error))}${help}\n`);
  if (usage) return EXIT.usage;
  return error instanceof CliError ? error.exitCode : EXIT.failed;
}

/** `node:util` says so of options that are not known and values that are missing. */
function isParseArgsError(error: unknown): boolean {
  return (
    typeof error === 'object' &&
    error !== null &&
    'code' in error &&
    typeof error.code === 'string' &&
    error.code.startsWith('ERR_PARSE_ARGS_')
  );
}

/** Errors of another realm are not instanceof Error. */
function reasonOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'message' in error
    ? String(error.message)
    : String(error);
}

/** One line, and no escape that would act on a terminal. */
export function printable(text: string): string {
  return text.replaceAll(/\s+/g, ' ').replaceAll(/\p{C}/gu, '\ufffd');
}
