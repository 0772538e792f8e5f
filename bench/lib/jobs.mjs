/** What the load generator can be asked to do. Each job gets plain data and returns plain data. */
import { connect } from 'node:net';
import { Connection } from './connection.mjs';
import { quantile } from './stats.mjs';
import { makeBodies } from './todos.mjs';

const BODIES = 256;

/**
 * One connection for each path, one request in flight on each, for a time.
 *
 * @returns what was answered in that time. A status other than 200 is a failure.
 */
export async function load({ url, method, paths, turnId, seconds }) {
  const bodies = turnId === undefined ? [undefined] : makeBodies(turnId, BODIES);
  const connections = await openAll(url, paths.length);
  const texts = connections.map((connection, index) =>
    bodies.map((body) => connection.requestText(method, paths[index], body)),
  );
  const latencies = [];
  const statuses = {};
  let failures = 0;
  const start = performance.now();
  const end = start + seconds * 1000;
  await Promise.all(
    connections.map(
      (connection, index) =>
        new Promise((resolve) => {
          const requests = texts[index];
          let sequence = index;
          let sentAt = 0;
          const send = () => {
            sentAt = performance.now();
            connection.exchange(requests[sequence++ % requests.length], answered, failed);
          };
          const answered = (status) => {
            const now = performance.now();
            if (status !== 200) {
              failures += 1;
              statuses[status] = (statuses[status] ?? 0) + 1;
            } else if (now <= end) latencies.push(now - sentAt);
            if (now < end) send();
            else resolve();
          };
          const failed = (error) => {
            failures += 1;
            statuses[error.message] = (statuses[error.message] ?? 0) + 1;
            resolve();
          };
          send();
        }),
    ),
  );
  for (const connection of connections) connection.close();
  return {
    requests: latencies.length,
    perSecond: latencies.length / seconds,
    failures,
    statuses,
    p50: quantile(latencies, 0.5),
    p99: quantile(latencies, 0.99),
  };
}

/** Sends each request once, `inFlight` at a time. Returns status, body and milliseconds. */
export async function each({ url, requests, inFlight = 1 }) {
  const connections = await openAll(url, Math.min(inFlight, requests.length));
  const answers = new Array(requests.length);
  let next = 0;
  await Promise.all(
    connections.map(async (connection) => {
      while (next < requests.length) {
        const index = next++;
        const { method, path, body } = requests[index];
        const sentAt = performance.now();
        const { status, body: text } = await connection.request(method, path, body);
        answers[index] = { status, body: text, ms: performance.now() - sentAt };
      }
    }),
  );
  for (const connection of connections) connection.close();
  return answers;
}

/**
 * Follows each session with one SSE stream and writes at a steady rate, whatever comes back.
 * Measures from the receipt of a write to the frame that shows its revision: 0 where the frame
 * came first.
 */
export async function follow({ url, sessions, turnId, perSecond, seconds, warmUpSeconds }) {
  const streams = sessions.map((session) => new Follower(url, session));
  await Promise.all(streams.map((stream) => stream.opened));
  const bodies = makeBodies(turnId, BODIES);
  const connections = await openAll(url, 32);
  const idle = [...connections];
  const afterReceipt = [];
  const afterRequest = [];
  let failures = 0;
  let late = 0;
  let writes = 0;
  let measuredFrom = Infinity;
  const open = new Set();

  const write = async (connection, index) => {
    const stream = streams[index % streams.length];
    const path = `/v1/sessions/${stream.session}/todos`;
    const counts = performance.now() >= measuredFrom;
    const sentAt = performance.now();
    const { status, body } = await connection.request('PUT', path, bodies[index % BODIES]);
    const receivedAt = performance.now();
    idle.push(connection);
    if (status !== 200) {
      failures += 1;
      return;
    }
    const shownAt = await stream.shows(Number(JSON.parse(body).revision));
    if (!counts) return;
    afterReceipt.push(Math.max(0, shownAt - receivedAt));
    afterRequest.push(shownAt - sentAt);
  };

  const startedAt = performance.now();
  measuredFrom = startedAt + warmUpSeconds * 1000;
  const endAt = measuredFrom + seconds * 1000;
  await new Promise((resolve) => {
    const tick = () => {
      const now = performance.now();
      if (now >= endAt) return resolve();
      const due = ((now - startedAt) / 1000) * perSecond;
      while (writes < due) {
        const connection = idle.pop();
        if (connection === undefined) {
          late += 1;
          break;
        }
        const done = write(connection, writes++).finally(() => open.delete(done));
        open.add(done);
      }
      setTimeout(tick, 1);
    };
    tick();
  });
  await Promise.all(open);
  for (const each of [...streams, ...connections]) each.close();
  return {
    writes: afterReceipt.length,
    perSecond: writes / (warmUpSeconds + seconds),
    failures,
    late,
    p50: quantile(afterReceipt, 0.5),
    p99: quantile(afterReceipt, 0.99),
    requestP50: quantile(afterRequest, 0.5),
    requestP99: quantile(afterRequest, 0.99),
  };
}

/** One SSE stream: remembers the newest revision it was shown, and who waits for one. */
class Follower {
  #socket;
  #text = '';
  #revision = -1;
  #framed = false;
  #waiting = [];

  constructor(url, session) {
    const { hostname, port } = new URL(url);
    this.session = session;
    this.#socket = connect({ host: hostname, port: Number(port), noDelay: true });
    this.#socket.setEncoding('latin1');
    this.#socket.write(
      `GET /v1/sessions/${session}/todos/events HTTP/1.1\r\nHost: ${hostname}:${port}\r\n\r\n`,
    );
    this.opened = new Promise((resolve, reject) => {
      this.#socket.once('error', reject);
      this.#socket.on('data', (chunk) => {
        this.#take(chunk);
        if (this.#framed) resolve();
      });
    });
  }

  /** When a revision, or a later one, was shown. */
  shows(revision) {
    const seen = this.#revision >= revision ? this.shownAt : undefined;
    if (seen !== undefined) return Promise.resolve(seen);
    return new Promise((resolve) => this.#waiting.push({ revision, resolve }));
  }

  close() {
    this.#socket.destroy();
  }

  #take(chunk) {
    const text = this.#text + chunk;
    const end = text.lastIndexOf('\n\n');
    this.#text = end < 0 ? text : text.slice(end + 2);
    if (end < 0) return;
    // The head of the response is no frame.
    this.#framed ||= text.includes('\ndata: ');
    for (const match of text.slice(0, end).matchAll(/^id: (\d+)/gm)) {
      this.#revision = Math.max(this.#revision, Number(match[1]));
    }
    this.shownAt = performance.now();
    this.#waiting = this.#waiting.filter(({ revision, resolve }) => {
      if (revision > this.#revision) return true;
      resolve(this.shownAt);
      return false;
    });
  }
}

function openAll(url, count) {
  return Promise.all(Array.from({ length: count }, () => Connection.open(url)));
}
