/** Bare Nest + Fastify + zod + group-commit SQLite: as Nest's own documentation would write it. */
import 'reflect-metadata';
import {
  Body,
  Controller,
  Get,
  HttpException,
  Module,
  Param,
  Put,
  Req,
  Res,
  StandardSchemaValidationPipe,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { Feed } from './feed.mjs';
import { writeBody } from './shape.mjs';
import { openStore } from './store.mjs';

const store = await openStore(process.env.PLANLOG_DATA_DIR);
const feed = new Feed();

class TodosController {
  async write(sessionId, list) {
    const { revision, position } = await store.write(sessionId, list);
    feed.publish(sessionId, revision, list);
    return { sessionId, revision, position };
  }

  read(sessionId, request, reply) {
    const view = store.view(sessionId);
    if (view === undefined) throw new HttpException('not found', 404);
    const tag = `"${view.revision}"`;
    reply.header('ETag', tag);
    if (request.headers['if-none-match'] === tag) {
      reply.code(304).send();
      return;
    }
    reply.type('application/json; charset=utf-8').send(view.json);
  }

  follow(sessionId, reply) {
    feed.follow(sessionId, reply);
  }
}

// What the decorators of TypeScript compile to.
decorate('write', [Put()], [Param('sessionId'), Body({ schema: writeBody })]);
decorate('read', [Get()], [Param('sessionId'), Req(), Res()]);
decorate('follow', [Get('events')], [Param('sessionId'), Res()]);
Controller('v1/sessions/:sessionId/todos')(TodosController);

class AppModule {}
Module({ controllers: [TodosController] })(AppModule);

function decorate(name, methods, parameters) {
  const { prototype } = TodosController;
  const descriptor = Object.getOwnPropertyDescriptor(prototype, name);
  for (const decorator of methods) decorator(prototype, name, descriptor);
  parameters.forEach((decorator, index) => decorator(prototype, name, index));
}

const app = await NestFactory.create(
  AppModule,
  new FastifyAdapter({ logger: false, forceCloseConnections: true }),
  { logger: ['error'] },
);
app.useGlobalPipes(new StandardSchemaValidationPipe());
await app.listen(Number(process.env.PORT ?? 0), '127.0.0.1');
process.on('SIGTERM', async () => {
  await app.close();
  await store.close();
  process.exit(0);
});
process.stdout.write(`listening on ${await app.getUrl()}\n`);
