/** Every command of docs/rebuild.md does what the page says, and so does its Job. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { z } from 'zod';
import { generationSchema } from '../../../src/api/projections/projections.schemas.js';
import { generationsSchema } from '../../../src/api/generations/generations.schemas.js';
import { planlog } from '../../unit/cli/cli-run.js';
import { ServerProcess } from '../crash/server-process.js';
import { codeBlocks } from './code-blocks.js';

const SLOW = 120_000;
const SECRET = 's'.repeat(32);
const blocks = codeBlocks('docs/rebuild.md');
const commands = blocks.filter(({ language }) => language === 'sh').map(({ text }) => text);
const objectSchema = z.record(z.string(), z.unknown());
const lineSchema = z.looseObject({ state: z.string() });

const job = z.strictObject({
  apiVersion: z.literal('batch/v1'),
  kind: z.literal('Job'),
  metadata: z.strictObject({ name: z.string().regex(/^[a-z0-9-]{1,63}$/) }),
  spec: z.strictObject({
    backoffLimit: z.int(),
    ttlSecondsAfterFinished: z.int(),
    template: z.strictObject({
      spec: z.strictObject({
        restartPolicy: z.literal('Never'),
        automountServiceAccountToken: z.literal(false),
        containers: z.tuple([
          z.strictObject({
            name: z.string(),
            image: z.string(),
            command: z.tuple([z.literal('planlog')]),
            args: z.array(z.string()),
            env: z.array(
              z.union([
                z.strictObject({ name: z.string(), value: z.string() }),
                z.strictObject({
                  name: z.string(),
                  valueFrom: z.strictObject({
                    secretKeyRef: z.strictObject({ name: z.string(), key: z.string() }),
                  }),
                }),
              ]),
            ),
            securityContext: z.looseObject({ runAsNonRoot: z.literal(true) }),
          }),
        ]),
      }),
    }),
  }),
});

let directory: string;
let server: ServerProcess;
let env: Record<string, string>;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'planlog-rebuild-doc-'));
  server = await ServerProcess.start(directory, { PLANLOG_JWT_SECRET: SECRET });
  const token = await planlog(['token', '--scope', 'admin'], {
    env: { PLANLOG_JWT_SECRET: SECRET },
  });
  env = { PLANLOG_URL: server.url, PLANLOG_TOKEN: token.out.trim(), PLANLOG_DATA_DIR: directory };
}, SLOW);
afterAll(async () => {
  await server.stop();
  await rm(directory, { recursive: true });
});

async function run(command: string | undefined, more: Record<string, string> = {}) {
  const script = `planlog() { "${process.execPath}" dist/src/cli/planlog.js "$@"; }\n${command ?? ''}`;
  const { stdout } = await promisify(execFile)('bash', ['-euc', script], {
    env: { ...process.env, ...env, ...more },
  });
  return stdout.trim();
}

function lastLine(out: string): unknown {
  return JSON.parse(out.split('\n').at(-1) ?? '');
}

it(
  'its commands rebuild, promote, roll back and drop',
  async () => {
    const [dryRun, rebuild, promote, rollBack, list, drop, ...rest] = commands;
    expect(rest).toEqual([]);
    expect(lastLine(await run(dryRun))).toMatchObject({ dryRun: true, state: 'ready' });
    const rebuilt = lastLine(await run(rebuild));
    expect(rebuilt).toMatchObject({ generation: 2, state: 'serving' });
    const shown = blocks.find(({ language }) => language === 'json')?.text ?? '';
    expect(Object.keys(objectSchema.parse(JSON.parse(shown)))).toEqual(
      Object.keys(objectSchema.parse(rebuilt)),
    );

    expect(generationSchema.parse(JSON.parse(await run(rollBack, { KEPT: '1' })))).toMatchObject({
      generation: 1,
      state: 'serving',
    });
    const again = lineSchema.parse(lastLine(await run(rebuild?.replace(' --promote', ''))));
    expect(again).toMatchObject({ generation: 3, state: 'ready' });
    expect(JSON.parse(await run(promote, { GENERATION: '3' }))).toMatchObject({ state: 'serving' });
    expect(JSON.parse(await run(drop, { KEPT: '2' }))).toMatchObject({ generation: 2 });
    const { items } = generationsSchema.parse(JSON.parse(await run(list)));
    expect(items.map(({ generation, state }) => `${generation} ${state}`)).toEqual([
      '1 kept',
      '3 serving',
    ]);
  },
  SLOW,
);

it(
  'its Job runs a command that rebuilds and promotes, and is given all that it needs',
  async () => {
    const yaml = blocks.filter(({ language }) => language === 'yaml');
    expect(yaml).toHaveLength(1);
    const { spec } = job.parse(parse(yaml[0]?.text ?? '')).spec.template;
    const [{ args, env: given }] = spec.containers;
    expect(given.map(({ name }) => name)).toEqual(['PLANLOG_URL', 'PLANLOG_TOKEN']);
    const { PLANLOG_URL, PLANLOG_TOKEN } = env;
    const { code, out, err } = await planlog(args, { env: { PLANLOG_URL, PLANLOG_TOKEN } });
    expect([code, err]).toEqual([0, '']);
    expect(lastLine(out.trim())).toMatchObject({ state: 'serving' });
  },
  SLOW,
);

it('has no block that is not looked at here', () => {
  expect(new Set(blocks.map(({ language }) => language))).toEqual(new Set(['sh', 'json', 'yaml']));
});
