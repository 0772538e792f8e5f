/** The frame of the command line: help, what is not known, and how a command can end. */
import { CliError, EXIT, UsageError, type Verb } from '../../../src/cli/frame/verb.js';
import { serverUrl } from '../../../src/cli/frame/server-address.js';
import { VERBS } from '../../../src/cli/verbs.js';
import { planlog } from './cli-run.js';

const shown = VERBS.filter(({ hidden }) => hidden !== true);

/** A command that ends as it is told. */
function ending(run: () => Promise<0 | 1 | 2 | 3>): Verb {
  return {
    name: 'end',
    summary: 'ends',
    usage: 'Usage: planlog end',
    load: () => Promise.resolve(run),
  };
}

it.each([[['--help']], [['-h']], [['help']]])('%j lists every command', async (args) => {
  const { code, out, err } = await planlog(args);
  expect([code, err]).toEqual([EXIT.done, '']);
  for (const { name, summary } of shown)
    expect(out).toMatch(new RegExp(`^ {2}${name} +${summary}$`, 'm'));
});

it('lists them on standard error where none is named, as that is an error', async () => {
  const { code, out, err } = await planlog([]);
  expect([code, out]).toEqual([EXIT.usage, '']);
  expect(err).toBe((await planlog(['--help'])).out);
});

it('says its version', async () => {
  expect(await planlog(['--version'])).toEqual({ code: 0, out: '1.2.3\n', err: '' });
});

it('says in one line that there is no such command, with nothing that acts on a terminal', async () => {
  const { code, out, err } = await planlog(['sevre\n\u001b[2J']);
  expect([code, out]).toEqual([EXIT.usage, '']);
  expect(err).toBe('planlog: there is no "sevre \ufffd[2J"; planlog --help lists what there is\n');
});

describe.each(shown.map(({ name, usage }) => [name, usage] as const))('%s', (name, usage) => {
  it('tells how it is used', async () => {
    for (const args of [
      [name, '--help'],
      [name, '-h'],
      ['help', name],
      [name, 'x', '--help'],
    ]) {
      expect(await planlog(args)).toEqual({ code: EXIT.done, out: `${usage}\n`, err: '' });
    }
    expect(usage).toMatch(new RegExp(`^Usage: planlog ${name}\\b`));
    // Of a terminal's width.
    expect(usage.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });

  it('refuses an option that it does not know, and says where help is', async () => {
    const { code, out, err } = await planlog([name, '--no-such-option']);
    expect([code, out]).toEqual([EXIT.usage, '']);
    expect(err).toMatch(new RegExp(`^planlog ${name}: .*--no-such-option.*--help tells more\n$`));
    expect(err.trimEnd().split('\n')).toHaveLength(1);
  });
});

it('takes what follows -- for no option', async () => {
  const seen: string[][] = [];
  const verb = { ...ending(() => Promise.resolve(0)), name: 'echo' };
  const load: Verb['load'] = () =>
    Promise.resolve((args) => {
      seen.push([...args]);
      return Promise.resolve(EXIT.done);
    });
  await planlog(['echo', '--', '--help'], { verbs: [{ ...verb, load }] });
  expect(seen).toEqual([['--', '--help']]);
});

it.each([
  ['what it returns', () => Promise.resolve(EXIT.differs), 3, ''],
  [
    'a failure that was foreseen',
    () => Promise.reject(new CliError('no server\nanswers')),
    1,
    'planlog end: no server answers\n',
  ],
  [
    'a foreseen failure with a code of its own',
    () => Promise.reject(new CliError('they differ', EXIT.differs)),
    3,
    'planlog end: they differ\n',
  ],
  [
    'wrong usage',
    () => Promise.reject(new UsageError('--n is "x"')),
    2,
    'planlog end: --n is "x"; planlog end --help tells more\n',
  ],
  ['any other failure', () => Promise.reject(new Error('oh')), 1, 'planlog end: oh\n'],
])('exits with %s', async (_, run, code, err) => {
  expect(await planlog(['end'], { verbs: [ending(run)] })).toEqual({ code, out: '', err });
});

it.each([
  [undefined, 'http://127.0.0.1:3000'],
  ['', 'http://127.0.0.1:3000'],
  ['https://planlog.example/', 'https://planlog.example'],
])('looks for the server of PLANLOG_URL=%j at %s', (url, address) => {
  expect(serverUrl({ PLANLOG_URL: url })).toBe(address);
});

it.each(['planlog', 'ftp://x', 'http://'])('does not take PLANLOG_URL=%s', (url) => {
  expect(() => serverUrl({ PLANLOG_URL: url })).toThrow(UsageError);
});
