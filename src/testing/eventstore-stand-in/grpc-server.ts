/**
 * The gRPC server: the client's own service definitions, implemented by the stand-in, on
 * connections that are handed to it.
 */
import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import { EventEmitter } from 'node:events';
import type { Duplex } from 'node:stream';
import { Server, ServerCredentials, ServerInterceptingCall } from '@grpc/grpc-js';
import { GossipService } from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import { ServerFeaturesService } from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import { StreamsService } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import { compressResponses } from './compressed-responses.js';
import type { ServerContext } from './server-context.js';
import { serveBatchAppend } from './wire/batch-append.js';
import { serveAppend } from './wire/classic-append.js';
import { serveGossip, serveSupportedMethods } from './wire/cluster.js';
import { serveDelete, serveTombstone } from './wire/delete.js';
import { serveRead } from './wire/read.js';

/** Kestrel's limit of a message. */
const MAX_RECEIVED_BYTES = 16 * 1024 * 1024;

/** Kestrel's default limit of calls that are open at once on one connection. */
export const MAX_STREAMS_PER_CONNECTION = 100;

export interface GrpcServer {
  serve(connection: Duplex): void;
  close(): void;
}

/** What a server with TLS shows, in PEM. */
export interface ServerCertificate {
  readonly certificate: string | Buffer;
  readonly key: string | Buffer;
}

export function createGrpcServer(
  context: ServerContext,
  maxStreamsPerConnection: number,
  certificate: ServerCertificate | undefined,
): GrpcServer {
  const server = new Server({
    'grpc.max_receive_message_length': MAX_RECEIVED_BYTES,
    'grpc.max_send_message_length': -1,
    'grpc.max_concurrent_streams': maxStreamsPerConnection,
    interceptors: [(_method, call) => new EagerCall(call)],
  });
  // Events are kept as encoded bytes, which go out as they are.
  const read = { ...StreamsService.read, responseSerialize: (bytes: Buffer) => bytes };
  server.addService(
    { ...StreamsService, read },
    {
      append: serveAppend(context),
      batchAppend: serveBatchAppend(context),
      delete: serveDelete(context),
      read: serveRead(context),
      tombstone: serveTombstone(context),
    },
  );
  server.addService(ServerFeaturesService, { getSupportedMethods: serveSupportedMethods(context) });
  server.addService(GossipService, { read: serveGossip(context) });
  const injector = server.createConnectionInjector(credentials(certificate));
  watchCalls(server, context);
  return {
    serve: (connection) => {
      injector.injectConnection(connection);
    },
    close: () => {
      server.forceShutdown();
    },
  };
}

function credentials(shown: ServerCertificate | undefined): ServerCredentials {
  if (shown === undefined) return ServerCredentials.createInsecure();
  const [certificate, key] = [Buffer.from(shown.certificate), Buffer.from(shown.key)];
  return ServerCredentials.createSsl(null, [{ cert_chain: certificate, private_key: key }]);
}

/**
 * The server removes some headers (`grpc-accept-encoding`) before a handler sees them, so they
 * are read where they arrive. The library has no public way to them.
 */
function watchCalls(server: Server, context: ServerContext): void {
  const http2Servers: unknown = Reflect.get(server, 'http2Servers');
  if (!(http2Servers instanceof Map)) throw new Error('this @grpc/grpc-js hides its servers');
  for (const http2Server of http2Servers.keys()) {
    if (!(http2Server instanceof EventEmitter)) throw new Error('not an HTTP/2 server');
    // Before the library's own listener, which may answer at once.
    http2Server.prependListener(
      'stream',
      (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => {
        context.observed.callOpened(stream, headers);
        compressResponses(stream, headers);
      },
    );
  }
}

/** How many messages may wait to be written before the sender waits too. */
const WRITES_AHEAD = 64;

/** Lets a call send on while a bounded number of its messages is being written: the library
 * would wait for each one, which makes reads several times slower than those of a real server. */
class EagerCall extends ServerInterceptingCall {
  #writing = 0;

  override sendMessage(message: unknown, callback: () => void): void {
    this.#writing += 1;
    const waits = this.#writing >= WRITES_AHEAD;
    super.sendMessage(message, () => {
      this.#writing -= 1;
      if (waits) callback();
    });
    if (!waits) callback();
  }
}
