/** An SSE client for tests: fetch, read frame by frame, at the test's own pace. */

export interface SseFrame {
  readonly event: string;
  readonly id: string | undefined;
  readonly data: unknown;
}

export class SseClient {
  private text = '';
  /** What was sent between frames. */
  readonly comments: string[] = [];

  private constructor(
    readonly response: Response,
    private readonly reader: ReadableStreamDefaultReader<string>,
    private readonly leaving: AbortController,
  ) {}

  static async open(url: string, headers: Record<string, string> = {}): Promise<SseClient> {
    const leaving = new AbortController();
    const response = await fetch(url, { headers, signal: leaving.signal });
    if (response.body === null) throw new Error('no body');
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    return new SseClient(response, reader, leaving);
  }

  /** The next frame; undefined at the end of the stream. Comments are kept aside. */
  async next(): Promise<SseFrame | undefined> {
    for (;;) {
      const end = this.text.indexOf('\n\n');
      if (end < 0) {
        const { done, value } = await this.reader.read();
        if (done) return undefined;
        this.text += value;
        continue;
      }
      const block = this.text.slice(0, end);
      this.text = this.text.slice(end + 2);
      if (!block.startsWith(':')) return parseFrame(block);
      this.comments.push(block);
    }
  }

  /** Drops the connection. */
  leave(): void {
    this.leaving.abort();
  }
}

function parseFrame(block: string): SseFrame {
  const fields = new Map(
    block.split('\n').map((line): [string, string] => {
      const colon = line.indexOf(': ');
      return [line.slice(0, colon), line.slice(colon + 2)];
    }),
  );
  return {
    event: fields.get('event') ?? 'message',
    id: fields.get('id'),
    data: JSON.parse(fields.get('data') ?? 'null'),
  };
}
