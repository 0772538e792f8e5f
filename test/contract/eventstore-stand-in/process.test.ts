/**
 * The stand-in as a process of its own, with its control channel.
 */
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { EventStoreDBClient, NO_STREAM } from '@eventstore/db-client';
import { event, outcome } from './stand-in-client.js';

const MAIN = join(process.cwd(), 'dist/src/testing/eventstore-stand-in/main.js');

describe('a stand-in process', () => {
  let child: ChildProcessWithoutNullStreams;
  let lines: AsyncIterator<string, unknown>;
  let client: EventStoreDBClient;

  const line = async (): Promise<string> => {
    const next = await lines.next();
    if (next.done === true) throw new Error('the stand-in has ended');
    return next.value;
  };
  const order = async (said: object | string): Promise<unknown> => {
    child.stdin.write(`${typeof said === 'string' ? said : JSON.stringify(said)}\n`);
    return JSON.parse(await line());
  };
  const append = (stream: string) =>
    outcome(client.appendToStream(stream, event(), { expectedRevision: NO_STREAM }));

  beforeEach(async () => {
    child = spawn(process.execPath, [MAIN, '--port', '0']);
    lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    client = EventStoreDBClient.connectionString(await line());
  });

  afterEach(async () => {
    void client.dispose();
    const ended = child.exitCode === null ? once(child, 'exit') : Promise.resolve();
    child.stdin.end();
    await ended;
  });

  test('serves, and tells what it sees', async () => {
    expect(await append('s')).toBe('stored at 0');
    expect(await order({ ask: 'observations' })).toMatchObject({
      ok: true,
      appends: { received: 1, stored: 1 },
      connections: 1,
      liveSubscriptions: [],
    });
  });

  test('obeys: switches, deeds, and back', async () => {
    expect(await order({ set: { notReady: 'all' } })).toEqual({ ok: true });
    expect(await append('s')).toBe('UnknownError: Could not recognize Server Is Not Ready');
    expect(await order({ clear: true })).toEqual({ ok: true });
    expect(await append('s')).toBe('stored at 0');
    expect(await order({ do: 'freeze' })).toEqual({ ok: true });
    const frozen = append('t');
    expect(await order({ do: 'thaw' })).toEqual({ ok: true });
    expect(await frozen).toBe('stored at 0');
    expect(await order({ do: 'restart', death: 'kill' })).toEqual({ ok: true });
  });

  test('refuses what it does not know and goes on', async () => {
    expect(await order({ set: { silentAppend: true } })).toHaveProperty('error');
    expect(await order('not JSON')).toHaveProperty('error');
    expect(await append('s')).toBe('stored at 0');
  });

  test('ends on SIGTERM and tells its clients', async () => {
    expect(await append('s')).toBe('stored at 0');
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  });
});
