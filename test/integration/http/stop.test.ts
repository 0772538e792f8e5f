/** The stop: ordered, complete, and under two seconds whoever is connected (faults.md C 49, 50). */
import { jest } from '@jest/globals';
import { Agent, request, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { once } from 'node:events';
import { OpenStreams } from '../../../src/api/sse/open-streams.js';
import type { EventLog } from '../../../src/events/log/event-log.js';
import { EVENT_LOG } from '../../../src/events/log/event-log.token.js';
import { ProjectionHost } from '../../../src/projections/runtime/projection-host.js';
import { RunningServer } from './running-server.js';

let server: RunningServer;
beforeEach(async () => {
  server = await RunningServer.start();
});
afterEach(() => server.stop());

const TWO_SECONDS = 2_000;

async function timeOfClose(): Promise<number> {
  const began = performance.now();
  await server.planlog.close();
  return performance.now() - began;
}

async function openSocket(first = ''): Promise<Socket> {
  const socket = connect(Number(new URL(server.planlog.url).port), '127.0.0.1');
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(first);
  return socket;
}

it('C 49: ends fifty streams, each with an end', async () => {
  await server.read('s1', await server.startTurn('s1', 't1'));
  const clients = await Promise.all(Array.from({ length: 50 }, () => server.follow('s1')));
  for (const client of clients) expect(await client.next()).toMatchObject({ event: 'todos' });
  const closing = timeOfClose();
  for (const client of clients) expect(await client.next()).toBeUndefined();
  expect(await closing).toBeLessThan(TWO_SECONDS);
});

it('stops in order: streams, requests, projections, the log', async () => {
  const { app } = server.planlog;
  const log = app.get<EventLog>(EVENT_LOG);
  const host = app.get(ProjectionHost);
  await server.read('s1', await server.startTurn('s1', 't1'));
  const streams = await Promise.all([server.follow('s1'), server.follow('s1')]);
  for (const stream of streams) expect(await stream.next()).toMatchObject({ id: '1' });

  const order: string[] = [];
  let letAppend!: () => void;
  const held = new Promise<void>((resolve) => (letAppend = resolve));
  const append = log.append.bind(log);
  const appending = new Promise<void>((resolve) => {
    jest.spyOn(log, 'append').mockImplementation(async (...args) => {
      resolve();
      await held;
      return append(...args);
    });
  });
  const stop = host.stop.bind(host);
  jest.spyOn(host, 'stop').mockImplementation(async (options) => {
    order.push(`projections stop beside ${app.get(OpenStreams).size} streams`);
    await stop(options);
    order.push('projections stopped');
  });
  const closeLog = log.close.bind(log);
  jest.spyOn(log, 'close').mockImplementation(async () => {
    order.push('log closes');
    await closeLog();
  });
  app.getHttpServer().once('request', (_: IncomingMessage, answer: ServerResponse) => {
    answer.once('finish', () => order.push(`answered ${answer.statusCode}`));
  });
  const write = server.write('s1', 't1', ['a']);
  await appending;

  const closing = server.planlog.close();
  // Each with an end, while the write is still being done.
  for (const stream of streams) expect(await stream.next()).toBeUndefined();
  order.push('streams ended');
  letAppend();
  expect((await write).status).toBe(200);
  await closing;
  expect(order).toEqual([
    'streams ended',
    'answered 200',
    'projections stop beside 0 streams',
    'projections stopped',
    'log closes',
  ]);
});

it('closes connections that are idle, unused, half sent or never read', async () => {
  const agent = new Agent({ keepAlive: true });
  await new Promise<void>((resolve) => {
    request(`${server.planlog.url}/health/live`, { agent }, (answer) => {
      answer.resume().on('end', resolve);
    }).end();
  });
  const unused = await openSocket();
  const halfHead = await openSocket('GET /health/live HTTP/1.1\r\nHost: loc');
  const halfBody = await openSocket(
    'PUT /v1/sessions/s1/todos HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{',
  );
  const deaf = await openSocket(
    'GET /v1/sessions/s1/todos/events HTTP/1.1\r\nHost: localhost\r\n\r\n',
  );
  deaf.pause();
  const ended = [unused, halfHead, halfBody].map((socket) => once(socket.resume(), 'close'));

  expect(await timeOfClose()).toBeLessThan(TWO_SECONDS);
  await Promise.all(ended);
  deaf.destroy();
  agent.destroy();
});

it('gives a waiting read an answer', async () => {
  const waiting = server.call('GET', '/v1/sessions/s1/todos?after=999999999999999&timeoutMs=30000');
  // Another answer on another connection: by then the first request has come in too.
  await server.call('GET', '/health/live');
  const closing = timeOfClose();
  const { status, body, headers } = await waiting;
  expect(status).toBe(503);
  expect(body).toMatchObject({ code: 'store_unavailable' });
  expect(headers.get('retry-after')).not.toBeNull();
  expect(await closing).toBeLessThan(TWO_SECONDS);
});

it('finishes writes in flight: what was acknowledged is there, after a start too', async () => {
  await server.startTurn('s1', 't1');
  const writes = Array.from({ length: 200 }, (_, index) =>
    server.write('s1', 't1', [`item ${index}`]).then(
      ({ status }) => status,
      () => 0,
    ),
  );
  await Promise.race(writes);
  expect(await timeOfClose()).toBeLessThan(TWO_SECONDS);
  const answers = await Promise.all(writes);
  expect(answers.every((status) => status === 200 || status === 503 || status === 0)).toBe(true);
  expect(answers).toContain(200);
});

it('may be closed twice', async () => {
  await Promise.all([server.planlog.close(), server.planlog.close()]);
  await server.planlog.close();
});
