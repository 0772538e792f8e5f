/** Errors that Fastify and Node raise before there is a request to route. */
import { ServerResponse, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { COMMAND_ID_HEADER, commandIdOf, echoCommandId } from '../request/command-id.js';
import { Problem, PROBLEM_MEDIA_TYPE } from '../problem/problem.js';
import { PROBLEM_KINDS } from '../problem/problem-codes.js';
import { problemOfError } from '../problem/problem-of-error.js';

/** Answers what the router rejects: it runs before any hook or filter. */
export function answerRouterError(
  error: FastifyError,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const problem = problemOfError(error);
  // The route is not known; all that is not read only is a command.
  if (request.method !== 'GET' && request.method !== 'HEAD') echoCommandId(request, reply);
  void reply
    .code(problem.status)
    .header('Content-Type', PROBLEM_MEDIA_TYPE)
    .header('Cache-Control', 'no-store')
    .send(problem.toJson());
}

/** Answers an `Expect` that Node does not know; without this it sends a bare 417. */
export function answerExpectation(request: IncomingMessage, response: ServerResponse): void {
  const problem = new Problem(
    'expectation_failed',
    'the only Expect that is known is 100-continue; send that, or none',
  );
  const readOnly = request.method === 'GET' || request.method === 'HEAD';
  const commandId = readOnly ? undefined : commandIdOf(request);
  if (commandId !== undefined) response.setHeader(COMMAND_ID_HEADER, commandId);
  const body = problem.toJson();
  response
    .writeHead(problem.status, {
      'Content-Type': PROBLEM_MEDIA_TYPE,
      'Cache-Control': 'no-store',
      'Content-Length': Buffer.byteLength(body),
    })
    .end(body);
}

/** Answers what is no HTTP, or came too slowly, and closes the connection. */
export function answerConnectionError(error: Error & { code?: string }, socket: Socket): void {
  if (socket.writable && error.code !== 'ECONNRESET' && !isMidResponse(socket)) {
    const problem = connectionProblem(error.code);
    const body = problem.toJson();
    socket.write(
      `HTTP/1.1 ${problem.status} ${PROBLEM_KINDS[problem.code].title}\r\n` +
        `Content-Type: ${PROBLEM_MEDIA_TYPE}\r\nCache-Control: no-store\r\n` +
        `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
    );
  }
  socket.destroySoon();
}

function connectionProblem(code: string | undefined): Problem {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new Problem('headers_too_large', 'the header fields are larger than 16 KiB');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new Problem('request_timeout', 'the request did not arrive in time; send it again');
    default:
      return new Problem('invalid_request', 'this is not a valid HTTP request');
  }
}

/** A second answer in the middle of another would be read as part of it. Node keeps the response
 * a socket is writing under this name, and its own handler asks the same. */
function isMidResponse(socket: Socket): boolean {
  const current: unknown = Reflect.get(socket, '_httpMessage');
  return current instanceof ServerResponse && current.headersSent;
}
