/** Answers a command with its receipt. */
import type { FastifyReply } from 'fastify';
import type { Receipt } from '../../commands/receipt.js';
import { formatPosition } from '../../events/log/position.js';

export const POSITION_HEADER = 'Planlog-Position';
export const JSON_MEDIA_TYPE = 'application/json; charset=utf-8';

/** The receipt as the body. The route has set the status. */
export function sendReceipt(reply: FastifyReply, receipt: Receipt): void {
  const { sessionId, turnId, revision, counts, hints } = receipt;
  const position = formatPosition(receipt.position);
  void reply
    .header('Content-Type', JSON_MEDIA_TYPE)
    .header('Cache-Control', 'no-store')
    .header(POSITION_HEADER, position)
    // Numbers of 64 bits are strings (faults.md C 59).
    .send(
      JSON.stringify({ sessionId, turnId, revision: revision.toString(), position, counts, hints }),
    );
}

/** No body; where to wait for it stands in a header. */
export function sendPosition(reply: FastifyReply, receipt: Receipt): void {
  void reply
    .code(204)
    .header('Cache-Control', 'no-store')
    .header(POSITION_HEADER, formatPosition(receipt.position))
    .send();
}
