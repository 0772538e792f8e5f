/** Where no auth is configured only this machine may ask, by its own names (DNS rebinding). */
import { request } from 'node:http';
import { connect } from 'node:net';
import { RunningServer } from './running-server.js';

let server: RunningServer;
beforeAll(async () => {
  server = await RunningServer.start();
});
afterAll(() => server.stop());

function statusFor(headers: Record<string, string>, path = '/health/live'): Promise<number> {
  return new Promise((resolve, reject) => {
    request(server.planlog.url + path, { headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    })
      .on('error', reject)
      .end();
  });
}

it.each(['localhost', 'LocalHost:3000', '127.0.0.1:1', '127.8.8.8', '[::1]:3000'])(
  'answers to Host %s',
  async (host) => {
    expect(await statusFor({ host })).toBe(200);
  },
);

it.each(['example.org', 'localhost.example.org', '127.0.0.1.nip.io', '10.0.0.1', 'localhost:x'])(
  'is forbidden for Host %s',
  async (host) => {
    for (const path of ['/health/live', '/v1/sessions/s1/todos', '/nowhere']) {
      expect(await statusFor({ host }, path)).toBe(403);
    }
  },
);

it.each(['http://localhost:5173', 'https://127.0.0.1', 'http://[::1]:8080'])(
  'answers to Origin %s',
  async (origin) => {
    expect(await statusFor({ origin })).toBe(200);
  },
);

it.each(['https://example.org', 'null', 'http://localhost.example.org', 'file://', 'localhost'])(
  'is forbidden for Origin %s',
  async (origin) => {
    expect(await statusFor({ origin })).toBe(403);
  },
);

it('says which code it is', async () => {
  const answer = await server.call('GET', '/health/live', undefined, { origin: 'https://a.b' });
  expect(answer.body).toMatchObject({ code: 'forbidden', status: 403 });
});

it('answers a request without Host as a problem', async () => {
  const text = await new Promise<string>((resolve, reject) => {
    let received = '';
    const socket = connect(Number(new URL(server.planlog.url).port), '127.0.0.1', () => {
      socket.write('GET /health/live HTTP/1.1\r\nConnection: close\r\n\r\n');
    });
    socket.on('data', (chunk) => (received += chunk.toString()));
    socket.on('error', reject);
    socket.on('close', () => {
      resolve(received);
    });
  });
  expect(text).toMatch(/^HTTP\/1\.1 400 /);
  expect(text).toContain('"code":"invalid_request"');
});
