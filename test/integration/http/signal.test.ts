/** A signal ends the server by itself, with 0, in under two seconds, whoever is connected. */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, request, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SseClient } from '../../unit/api/sse-client.js';
import { killProcesses, startProcess, urlOf } from './planlog-process.js';

/** Processes start slowly on a machine that is busy. */
const SLOW = 90_000;
const TWO_SECONDS = 2_000;
/** A machine may be too busy once or twice. A server that breaks the rule breaks it each time. */
const TRIES = 3;

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'planlog-signal-'));
});
afterEach(async () => {
  await killProcesses();
  await rm(directory, { recursive: true });
}, SLOW);

/** What a client holds, and what it has to have seen when the server is gone. */
interface Client {
  gone(): Promise<void>;
}

/** Starts a server, connects, sends the signal; the shortest stop of a few. */
async function shortestStop(
  signal: 'SIGTERM' | 'SIGINT',
  clients: (url: string) => Promise<Client[]>,
): Promise<number> {
  let shortest = Number.POSITIVE_INFINITY;
  for (let run = 0; run < TRIES && shortest >= TWO_SECONDS; run += 1) {
    const server = startProcess({ PLANLOG_DATA_DIR: directory });
    const connected = await clients(await urlOf(server));
    const began = performance.now();
    server.child.kill(signal);
    expect(await server.exited).toBe(0);
    shortest = Math.min(shortest, performance.now() - began);
    for (const client of connected) await client.gone();
    // It was no watchdog that ended it, and nothing went wrong.
    expect(server.errors).toBe('');
  }
  return shortest;
}

it.each(['SIGTERM', 'SIGINT'] as const)(
  '%s, idle and with nobody connected',
  async (signal) => {
    expect(await shortestStop(signal, () => Promise.resolve([]))).toBeLessThan(TWO_SECONDS);
  },
  SLOW,
);

it(
  'SIGTERM, with streams, connections that are kept alive or unused, and requests in flight',
  async () => {
    const clients = async (url: string): Promise<Client[]> => {
      await fetch(`${url}/v1/sessions/s1/turns`, { method: 'POST' });
      const streams = await Promise.all(
        Array.from({ length: 20 }, () => SseClient.open(`${url}/v1/sessions/s1/todos/events`)),
      );
      for (const stream of streams) expect(await stream.next()).toBeDefined();
      const unused = await openSocket(url);
      const halfSent = await openSocket(url);
      halfSent.write(
        'PUT /v1/sessions/s1/todos HTTP/1.1\r\nHost: localhost\r\n' +
          'Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{',
      );
      const closed = [unused, halfSent].map((socket) => once(socket.resume(), 'close'));
      const waiting = fetch(`${url}/v1/sessions/s1/todos?after=999999&timeoutMs=30000`);
      // The last to come: when it is answered, all the others have arrived.
      const keptAlive = await Promise.all(
        Array.from({ length: 5 }, async () => {
          const agent = new Agent({ keepAlive: true });
          await send(`${url}/health/live`, agent).answer;
          return agent;
        }),
      );
      return [
        ...streams.map((stream) => ({
          gone: async () => {
            expect(await stream.next()).toBeUndefined();
          },
        })),
        {
          gone: async () => {
            await Promise.all(closed);
          },
        },
        {
          gone: async () => {
            expect((await waiting).status).toBe(503);
          },
        },
        {
          gone: () => {
            for (const agent of keptAlive) agent.destroy();
            return Promise.resolve();
          },
        },
      ];
    };
    expect(await shortestStop('SIGTERM', clients)).toBeLessThan(TWO_SECONDS);
  },
  SLOW,
);

it(
  'answers what had been sent before the signal, though it was not read yet',
  async () => {
    const server = startProcess({ PLANLOG_DATA_DIR: directory });
    const url = await urlOf(server);
    const agents = Array.from({ length: 8 }, () => new Agent({ keepAlive: true, maxSockets: 1 }));
    for (const agent of agents) await send(`${url}/health/live`, agent).answer;
    const path = `${url}/v1/sessions/s1/todos`;

    // Stopped, it reads nothing: what is sent now waits in the kernel.
    server.child.kill('SIGSTOP');
    const onOpen = agents.map((agent) => send(path, agent));
    const onNew = Array.from({ length: 4 }, () => send(path, new Agent()));
    await Promise.all([...onOpen, ...onNew].map(({ sent }) => sent));
    server.child.kill('SIGTERM');
    server.child.kill('SIGCONT');

    for (const { answer } of [...onOpen, ...onNew]) {
      // It is read before the stop has begun or after; either way it is answered.
      expect([404, 503]).toContain((await answer).statusCode);
    }
    expect(await server.exited).toBe(0);
    expect(server.errors).toBe('');
    for (const agent of agents) agent.destroy();
  },
  SLOW,
);

async function openSocket(url: string): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

/** A request: when the kernel has it all, and the whole answer. */
function send(
  url: string,
  agent: Agent,
): { sent: Promise<void>; answer: Promise<IncomingMessage> } {
  const sending = request(url, { agent });
  const sent = new Promise<void>((resolve) => sending.once('finish', resolve));
  const answer = new Promise<IncomingMessage>((resolve, reject) => {
    sending.once('error', reject).once('response', (incoming: IncomingMessage) => {
      incoming.resume().once('end', () => {
        resolve(incoming);
      });
    });
  });
  sending.end();
  return { sent, answer };
}
