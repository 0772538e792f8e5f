/** The bare programs' SSE: whoever follows a session gets each list that was stored. */
const HEAD = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-store',
};

export class Feed {
  #followers = new Map();

  /** Takes the reply over, and begins with an empty frame. */
  follow(sessionId, reply) {
    reply.hijack();
    const { raw } = reply;
    raw.writeHead(200, HEAD);
    raw.write('event: todos\ndata: {}\n\n');
    const followers = this.#followers.get(sessionId) ?? new Set();
    this.#followers.set(sessionId, followers.add(raw));
    raw.once('close', () => followers.delete(raw));
  }

  publish(sessionId, revision, list) {
    const followers = this.#followers.get(sessionId);
    if (followers === undefined || followers.size === 0) return;
    const frame = `event: todos\nid: ${revision}\ndata: ${JSON.stringify({ sessionId, ...list, revision })}\n\n`;
    for (const raw of followers) raw.write(frame);
  }
}
