/** From a write's receipt to the frame that shows it, with many who follow. */
import { alternate, HEADER, row, withServers } from '../lib/rounds.mjs';
import { table } from '../lib/report.mjs';
import { openTurns, sessionIds } from '../lib/sessions.mjs';

export const title = 'receipt to SSE frame';

const SUBSCRIBERS = 1_000;
const PER_SECOND = 500;

export async function run(extent) {
  const results = await withServers((servers, loader) => {
    const sessions = sessionIds('f', SUBSCRIBERS);
    return alternate(extent.rounds, async (name, round) => {
      const server = servers[name];
      const turnId = `turn-${round}`;
      await openTurns(loader, server, sessions, turnId);
      return loader.measure('follow', {
        url: server.url,
        sessions,
        turnId,
        perSecond: PER_SECOND,
        seconds: extent.seconds,
        warmUpSeconds: extent.warmUpSeconds / 2,
      });
    });
  });
  const ms = { digits: 2 };
  return [
    `${SUBSCRIBERS} streams, one for each session, ${PER_SECOND} writes a second spread over them, ` +
      'sent at their times whatever comes back. Milliseconds (lower is better); a frame that ' +
      'comes before the receipt counts as 0.',
    table(HEADER, [
      row('receipt to frame, p50', results, ({ p50 }) => p50, ms),
      row('receipt to frame, p99', results, ({ p99 }) => p99, ms),
      row('request to frame, p50', results, ({ requestP50 }) => requestP50, ms),
      row('request to frame, p99', results, ({ requestP99 }) => requestP99, ms),
      row('writes a second', results, ({ perSecond }) => perSecond),
    ]),
  ].join('\n\n');
}
