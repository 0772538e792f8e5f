/** Answers are compressed for a client that reads gzip, and for no other, as on a real server. */
import { connect, constants } from 'node:http2';
import { gunzipSync } from 'node:zlib';
import { EventStoreStandIn } from '../../../src/testing/eventstore-stand-in/stand-in.js';

const PATH = '/event_store.client.server_features.ServerFeatures/GetSupportedMethods';

interface Reply {
  readonly encoding: unknown;
  readonly flag: number | undefined;
  readonly body: Buffer;
}

async function ask(port: number, accepted: string): Promise<Reply> {
  const session = connect(`http://127.0.0.1:${port}`);
  const request = session.request({
    [constants.HTTP2_HEADER_METHOD]: 'POST',
    [constants.HTTP2_HEADER_PATH]: PATH,
    'content-type': 'application/grpc',
    te: 'trailers',
    'grpc-accept-encoding': accepted,
  });
  // An empty message.
  request.end(Buffer.alloc(5));
  let encoding: unknown;
  request.once('response', (headers) => {
    encoding = headers['grpc-encoding'];
  });
  const chunks: Buffer[] = [];
  for await (const chunk of request) if (Buffer.isBuffer(chunk)) chunks.push(chunk);
  session.close();
  const message = Buffer.concat(chunks);
  return { encoding, flag: message[0], body: message.subarray(5) };
}

test('gzip for those who read it, identity for those who do not', async () => {
  const standIn = await EventStoreStandIn.start();
  try {
    const plain = await ask(standIn.port, 'identity');
    expect(plain).toMatchObject({ encoding: 'identity', flag: 0 });
    const packed = await ask(standIn.port, 'identity,deflate,gzip');
    expect(packed).toMatchObject({ encoding: 'gzip', flag: 1 });
    expect(packed.body.length).toBeLessThan(plain.body.length);
    expect(gunzipSync(packed.body)).toEqual(plain.body);
  } finally {
    await standIn.close();
  }
});
