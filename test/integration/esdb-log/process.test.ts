/** What the log does to the process it runs in: nothing ends it, and nothing keeps it. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { EventStoreStandIn } from '../../../src/testing/eventstore-stand-in/stand-in.js';

const SCRIPT = new URL('./process-load.js', import.meta.url).pathname;

interface Ended {
  readonly code: number | null;
  readonly tally: Record<string, number>;
  readonly errors: string;
}

function tallyOf(line: string): Record<string, number> {
  const parsed: unknown = JSON.parse(line);
  return Object.fromEntries(
    Object.entries(typeof parsed === 'object' && parsed !== null ? parsed : {}).map(
      ([outcome, count]) => [outcome, Number(count)],
    ),
  );
}

/** @param settled what has to happen before the process may end */
async function run(
  args: string[],
  underWay: () => Promise<void> | void,
  settled?: () => Promise<void>,
): Promise<Ended> {
  const child = spawn(process.execPath, [SCRIPT, ...args], { stdio: ['pipe', 'pipe', 'pipe'] });
  let errors = '';
  let tally: Record<string, number> = {};
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  for await (const line of createInterface({ input: child.stdout })) {
    if (line === 'under way') {
      await underWay();
    } else {
      tally = tallyOf(line);
      await settled?.();
      child.stdin.end();
    }
  }
  return { code: await ended, tally, errors };
}

describe('a process with the log on EventStoreDB', () => {
  const servers: EventStoreStandIn[] = [];
  const start = async (): Promise<EventStoreStandIn> => {
    const server = await EventStoreStandIn.start();
    servers.push(server);
    return server;
  };
  afterEach(async () => {
    await Promise.all(servers.splice(0).map((server) => server.close()));
  });

  it('ends by itself after close (C 43)', async () => {
    const server = await start();
    const ended = await run([server.connectionString, '', '200'], () => undefined);
    expect(ended).toEqual({ code: 0, tally: { done: 200 }, errors: '' });
  }, 30_000);

  it.each(['kill', 'freeze', 'silence', 'half-close'] as const)(
    'outlives thousands of appends at once that a %s meets',
    async (how) => {
      const server = await start();
      const ended = await run([server.connectionString, '', '3000'], async () => {
        if (how === 'freeze') server.freeze();
        if (how === 'silence') server.faults.set({ silentAppends: 'dropped' });
        if (how === 'half-close') server.endBatchStreams();
        if (how === 'kill') await server.stop();
      });
      expect(ended).toMatchObject({ code: 0, errors: '' });
      expect(Object.values(ended.tally).reduce((sum, n) => sum + n, 0)).toBe(3_000);
    },
    60_000,
  );

  it('A4: outlives the end of one server while another answers late', async () => {
    const [dying, slow] = [await start(), await start()];
    slow.faults.set({ slow: { appendMs: 700 } });
    const ended = await run(
      [dying.connectionString, slow.connectionString, '10'],
      async () => {
        await slow.observed.until((seen) => seen.appends.received > 5);
        dying.endBatchStreams('unavailable');
      },
      // Each answer has been given; those that nobody waits for any more too. What the start
      // tries of its rights is refused.
      async () => {
        await slow.observed.until(
          ({ appends: { received, stored, refused } }) => stored + refused === received,
        );
      },
    );
    expect(ended).toMatchObject({ code: 0, errors: '' });
    expect(ended.tally['outcome_unknown']).toBeGreaterThan(0);
    expect(Object.values(ended.tally).reduce((sum, n) => sum + n, 0)).toBe(20);
  }, 60_000);
});
