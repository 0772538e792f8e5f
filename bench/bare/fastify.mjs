/** Bare Fastify + zod + group-commit SQLite: the least that stores a list and reads it back. */
import Fastify from 'fastify';
import { Feed } from './feed.mjs';
import { writeBody } from './shape.mjs';
import { openStore } from './store.mjs';

const store = await openStore(process.env.PLANLOG_DATA_DIR);
const feed = new Feed();
const app = Fastify({ logger: false, forceCloseConnections: true });

app.put('/v1/sessions/:sessionId/todos', async (request, reply) => {
  const parsed = writeBody.safeParse(request.body);
  if (!parsed.success) return reply.code(400).send({ errors: parsed.error.issues });
  const { sessionId } = request.params;
  const { revision, position } = await store.write(sessionId, parsed.data);
  feed.publish(sessionId, revision, parsed.data);
  return { sessionId, revision, position };
});

app.get('/v1/sessions/:sessionId/todos', (request, reply) => {
  const view = store.view(request.params.sessionId);
  if (view === undefined) return reply.code(404).send({ error: 'not found' });
  const tag = `"${view.revision}"`;
  reply.header('ETag', tag);
  if (request.headers['if-none-match'] === tag) return reply.code(304).send();
  return reply.type('application/json; charset=utf-8').send(view.json);
});

app.get('/v1/sessions/:sessionId/todos/events', (request, reply) => {
  feed.follow(request.params.sessionId, reply);
});

process.on('SIGTERM', async () => {
  await app.close();
  await store.close();
  process.exit(0);
});
const url = await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT ?? 0) });
process.stdout.write(`listening on ${url}\n`);
