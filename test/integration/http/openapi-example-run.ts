/** Sends the document's examples to a real server, each with what it asks for before. */
import { SseClient } from '../../unit/api/sse-client.js';
import {
  documentSchema,
  exampleSchema,
  operationsOf,
  type ApiDocument,
  type ApiExample,
  type ApiOperation,
} from '../../unit/openapi/api-document.js';
import { parkSession } from './park-session.js';
import { RunningServer } from './running-server.js';

export interface SentExample {
  readonly status: number;
  readonly headers: Headers;
  /** JSON parsed, a stream's first frame as its text; undefined where there is none. */
  readonly body: unknown;
}

/** Examples share a server: each gets session ids of its own. */
export class ExampleRun {
  private count = 0;

  private constructor(
    readonly server: RunningServer,
    readonly operations: readonly ApiOperation[],
    readonly document: ApiDocument,
    private readonly alone: boolean,
  ) {}

  /** @param options.alone for one example: it keeps the document's session ids */
  static async start({ alone = false } = {}): Promise<ExampleRun> {
    const server = await RunningServer.start();
    const document = documentSchema.parse((await server.call('GET', '/openapi.json')).body);
    return new ExampleRun(server, operationsOf(document), document, alone);
  }

  /** What the server answers to the example, with the document's session ids. */
  async send(name: string): Promise<SentExample> {
    this.count += 1;
    const prefix = this.alone ? 'session-' : `run-${this.count}.session-`;
    const { operation, example } = this.find(name);
    if (example.setting === 'parked-session') {
      await parkSession(this.server, `default.${prefix}1`);
    }
    for (const earlier of example.given) {
      const before = this.find(earlier);
      const answer = await this.sendOne(before.operation, before.example, prefix);
      expect([earlier, answer.status]).toEqual([earlier, before.example.status]);
      const position = answer.headers.get('planlog-position');
      // The log holds other examples' sessions too: their positions come before this one's.
      if (position !== null) {
        await this.server.call('GET', `/v1/sessions/any/todos?after=${position}`);
      }
    }
    const { status, headers, body } = await this.sendOne(operation, example, prefix);
    if (operation.operationId === 'pauseProjection' && status === 200) await this.goOn(prefix);
    if (body === undefined) return { status, headers, body };
    const text = JSON.stringify(body).replaceAll(prefix, 'session-');
    return { status, headers, body: JSON.parse(text) };
  }

  /** Whatever comes next needs a projection that follows. */
  private async goOn(prefix: string): Promise<void> {
    const { operation, example } = this.find('projection-resumed');
    await this.sendOne(operation, example, prefix);
  }

  find(name: string): { operation: ApiOperation; example: ApiExample } {
    for (const operation of this.operations) {
      const example = operation['x-examples'].find((each) => each.name === name);
      if (example !== undefined) return { operation, example };
    }
    throw new Error(`no example ${name}`);
  }

  private async sendOne(
    { method, path }: ApiOperation,
    { request, status }: ApiExample,
    prefix: string,
  ): Promise<SentExample> {
    const { path: inPath, query, headers, body } = renamed(request, prefix);
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => inPath[name] ?? '');
    const search = new URLSearchParams(query).toString();
    const url = `${this.server.planlog.url}${filled}${search && `?${search}`}`;
    if (path.endsWith('/events') && status === 200) return firstFrame(url, headers);
    const answer = await fetch(url, {
      method,
      headers: { ...(body !== undefined && { 'Content-Type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    const json = /json/.test(answer.headers.get('content-type') ?? '');
    return {
      status: answer.status,
      headers: answer.headers,
      body: text === '' ? undefined : json ? JSON.parse(text) : text,
    };
  }
}

async function firstFrame(url: string, headers: Record<string, string>): Promise<SentExample> {
  const client = await SseClient.open(url, headers);
  const frame = await client.next();
  client.leave();
  const { response } = client;
  const id = frame?.id ?? '';
  const body = `event: ${frame?.event ?? ''}\nid: ${id}\ndata: ${JSON.stringify(frame?.data)}\n\n`;
  return { status: response.status, headers: response.headers, body };
}

function renamed(request: ApiExample['request'], prefix: string): ApiExample['request'] {
  return exampleSchema.shape.request.parse(
    JSON.parse(JSON.stringify(request).replaceAll(/session-(?=\d)/g, prefix)),
  );
}
