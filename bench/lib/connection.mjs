/**
 * One HTTP/1.1 keep-alive connection with one request in flight, on a bare socket: the load must
 * cost as little as it can, since it shares the machine with what it measures.
 */
import { connect } from 'node:net';

const HEAD_END = '\r\n\r\n';
const LENGTH = /\r\ncontent-length: (\d+)/i;

export class Connection {
  #socket;
  #buffered = '';
  /** Bytes of the whole response; 0 while its head has not come. */
  #needed = 0;
  #onResponse;
  #onError;

  static async open(url) {
    const { hostname, port } = new URL(url);
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    await new Promise((resolve, reject) => {
      socket.once('connect', resolve);
      socket.once('error', reject);
    });
    return new Connection(socket, `${hostname}:${port}`);
  }

  constructor(socket, host) {
    this.host = host;
    this.#socket = socket;
    // One byte, one character: lengths can be compared, and the load is ASCII.
    socket.setEncoding('latin1');
    socket.on('data', (chunk) => this.#take(chunk));
    socket.on('error', (error) => this.#onError?.(error));
    socket.on('close', () => this.#onError?.(new Error('the server closed the connection')));
  }

  /** The text of a request, for {@link exchange}. */
  requestText(method, path, body) {
    const head = `${method} ${path} HTTP/1.1\r\nHost: ${this.host}\r\n`;
    if (body === undefined) return `${head}\r\n`;
    const length = Buffer.byteLength(body);
    return `${head}Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${body}`;
  }

  /** Sends a request; calls back with the status and the whole response. */
  exchange(text, onResponse, onError) {
    this.#onResponse = onResponse;
    this.#onError = onError;
    this.#socket.write(text, 'latin1');
  }

  request(method, path, body) {
    return new Promise((resolve, reject) => {
      this.exchange(
        this.requestText(method, path, body),
        (status, response) => resolve({ status, body: bodyOf(response), response }),
        reject,
      );
    });
  }

  close() {
    this.#onError = undefined;
    this.#socket.destroy();
  }

  #take(chunk) {
    this.#buffered = this.#buffered === '' ? chunk : this.#buffered + chunk;
    if (this.#needed === 0) {
      const end = this.#buffered.indexOf(HEAD_END);
      if (end < 0) return;
      const length = LENGTH.exec(this.#buffered);
      this.#needed = end + HEAD_END.length + (length === null ? 0 : Number(length[1]));
    }
    if (this.#buffered.length < this.#needed) return;
    const response = this.#buffered;
    this.#buffered = '';
    this.#needed = 0;
    this.#onResponse(Number(response.slice(9, 12)), response);
  }
}

function bodyOf(response) {
  return response.slice(response.indexOf(HEAD_END) + HEAD_END.length);
}
