/** Tokens and keys: what is let in, what is refused, and what cannot be told. */
import { createServer, type Server } from 'node:http';
import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT, type CryptoKey, type JWK } from 'jose';
import { z } from 'zod';
import {
  TokenKeysUnavailableError,
  TokenRefusedError,
  TokenVerifier,
} from '../../../../src/api/auth/token-verifier.js';

const SECRET = 'a secret of thirty-two bytes or so, for tests';

function hs256(secret = SECRET, algorithm = 'HS256'): Promise<string> {
  return new SignJWT({ tenant: 'acme' })
    .setProtectedHeader({ alg: algorithm })
    .setSubject('u1')
    .setIssuer('https://idp.example')
    .setAudience('planlog')
    .setExpirationTime('1h')
    .sign(Buffer.from(secret));
}

describe('with a shared secret', () => {
  const rules = { issuer: 'https://idp.example', audience: 'planlog' };
  const verifier = new TokenVerifier({ kind: 'secret', secret: SECRET }, rules);

  it('gives the claims of a good token', async () => {
    await verifier.load();
    await expect(verifier.verify(await hs256())).resolves.toMatchObject({
      sub: 'u1',
      tenant: 'acme',
    });
  });

  it.each<[string, () => Promise<string> | string]>([
    ['another secret', () => hs256(`${SECRET}!`)],
    ['another algorithm with the same secret', () => hs256(SECRET.padEnd(64, '.'), 'HS512')],
    ['no signature', () => new UnsecuredJWT({ tenant: 'acme' }).setSubject('u1').encode()],
    ['no token at all', () => 'x.y.z'],
    ['an empty text', () => ''],
    [
      'a changed payload',
      async () =>
        (await hs256()).replace(/\.(.)/, (_all, c: string) => `.${c === 'e' ? 'f' : 'e'}`),
    ],
    ['another issuer', () => signed((jwt) => jwt.setIssuer('https://evil.example'))],
    ['another audience', () => signed((jwt) => jwt.setAudience('other'))],
    [
      'no issuer',
      () =>
        new SignJWT({})
          .setProtectedHeader({ alg: 'HS256' })
          .setAudience('planlog')
          .sign(Buffer.from(SECRET)),
    ],
    [
      'a time that is over',
      () => signed((jwt) => jwt.setExpirationTime(new Date(Date.now() - 2_000))),
    ],
    [
      'a time that has not begun',
      () => signed((jwt) => jwt.setNotBefore(new Date(Date.now() + 60_000))),
    ],
  ])('refuses %s', async (_what, token) => {
    await expect(verifier.verify(await token())).rejects.toThrow(TokenRefusedError);
  });

  it('says why without the token', async () => {
    const token = await hs256(`${SECRET}!`);
    const error: unknown = await verifier.verify(token).catch((thrown: unknown) => thrown);
    expect(String(error)).toContain('signature');
    expect(String(error)).not.toContain(token.slice(-20));
  });

  function signed(change: (jwt: SignJWT) => SignJWT): Promise<string> {
    const jwt = new SignJWT({ tenant: 'acme' })
      .setProtectedHeader({ alg: 'HS256' })
      .setSubject('u1')
      .setIssuer('https://idp.example')
      .setAudience('planlog')
      .setExpirationTime('1h');
    return change(jwt).sign(Buffer.from(SECRET));
  }
});

describe("with a provider's keys", () => {
  let provider: Provider;
  beforeEach(async () => {
    provider = await Provider.start();
  });
  afterEach(() => provider.stop());

  function verifierOf(cache = { keepMs: 600_000, askAgainMs: 0 }): TokenVerifier {
    return new TokenVerifier({ kind: 'jwks', url: provider.url }, {}, cache);
  }

  it.each(['RS256', 'PS256', 'ES256', 'EdDSA'])('takes %s', async (algorithm) => {
    const key = await provider.add('k1', algorithm);
    await expect(verifierOf().verify(await key.sign())).resolves.toMatchObject({ sub: 'u1' });
  });

  it('asks once for many tokens, and again for a key it does not know', async () => {
    const first = await provider.add('k1');
    const verifier = verifierOf();
    await verifier.load();
    for (let turn = 0; turn < 5; turn += 1) await verifier.verify(await first.sign());
    expect(provider.asked).toBe(1);
    const second = await provider.add('k2');
    await verifier.verify(await second.sign());
    await verifier.verify(await first.sign());
    expect(provider.asked).toBe(2);
  });

  it('does not ask for each unknown key', async () => {
    const key = await provider.add('k1');
    const verifier = verifierOf({ keepMs: 600_000, askAgainMs: 60_000 });
    await verifier.verify(await key.sign());
    for (let turn = 0; turn < 5; turn += 1) {
      await expect(verifier.verify(await key.sign('elsewhere'))).rejects.toThrow(TokenRefusedError);
    }
    expect(provider.asked).toBe(1);
  });

  it('no longer takes a key that the provider took back', async () => {
    const key = await provider.add('k1');
    const verifier = verifierOf({ keepMs: 0, askAgainMs: 0 });
    await verifier.verify(await key.sign());
    provider.remove('k1');
    await expect(verifier.verify(await key.sign())).rejects.toThrow(TokenRefusedError);
  });

  it('tries each key that may be meant where the token names none', async () => {
    await provider.add('k1');
    const key = await provider.add('k2');
    await expect(verifierOf().verify(await key.sign(null))).resolves.toMatchObject({ sub: 'u1' });
    await expect(verifierOf().verify(await (await Key.make('k3')).sign(null))).rejects.toThrow(
      TokenRefusedError,
    );
  });

  it('refuses a token that is signed with the public key as a secret', async () => {
    const key = await provider.add('k1');
    const forged = await new SignJWT({ tenant: 'acme' })
      .setProtectedHeader({ alg: 'HS256', kid: 'k1' })
      .setSubject('u1')
      .sign(Buffer.from(JSON.stringify(key.jwk)));
    await expect(verifierOf().verify(forged)).rejects.toThrow(TokenRefusedError);
  });

  it('refuses a key that the token brings along', async () => {
    await provider.add('k1');
    const own = await Key.make('k1');
    const forged = await new SignJWT({ tenant: 'acme' })
      .setProtectedHeader({ alg: 'RS256', kid: 'k1', jwk: own.jwk })
      .setSubject('u1')
      .sign(own.privateKey);
    await expect(verifierOf().verify(forged)).rejects.toThrow(TokenRefusedError);
  });

  it.each<[string, (to: Provider) => void]>([
    ['an error', (to) => (to.answer = { status: 500, body: 'oops' })],
    ['no JSON', (to) => (to.answer = { status: 200, body: '<html>' })],
    ['no key set', (to) => (to.answer = { status: 200, body: '{"keys":7}' })],
  ])('cannot tell where the provider answers %s, and can again later', async (_what, breakIt) => {
    const key = await provider.add('k1');
    const verifier = verifierOf();
    breakIt(provider);
    await expect(verifier.load()).rejects.toThrow(TokenKeysUnavailableError);
    await expect(verifier.verify(await key.sign())).rejects.toThrow(TokenKeysUnavailableError);
    provider.answer = undefined;
    await expect(verifier.verify(await key.sign())).resolves.toMatchObject({ sub: 'u1' });
  });

  it('cannot tell where nobody listens', async () => {
    const key = await Key.make('k1');
    await provider.stop();
    await expect(verifierOf().verify(await key.sign())).rejects.toThrow(TokenKeysUnavailableError);
  });

  it('keeps what it has while the provider is away, and is closed once that is too old', async () => {
    const key = await provider.add('k1');
    const kept = verifierOf();
    const old = verifierOf({ keepMs: 0, askAgainMs: 0 });
    await kept.load();
    await old.load();
    await provider.stop();
    await expect(kept.verify(await key.sign())).resolves.toMatchObject({ sub: 'u1' });
    await expect(old.verify(await key.sign())).rejects.toThrow(TokenKeysUnavailableError);
  });
});

class Key {
  private constructor(
    readonly id: string,
    readonly algorithm: string,
    readonly privateKey: CryptoKey,
    readonly jwk: JWK,
  ) {}

  static async make(id: string, algorithm = 'RS256'): Promise<Key> {
    const { privateKey, publicKey } = await generateKeyPair(algorithm);
    return new Key(id, algorithm, privateKey, { ...(await exportJWK(publicKey)), kid: id });
  }

  /** @param kid as the token names it; null: not at all */
  sign(kid: string | null = this.id): Promise<string> {
    return new SignJWT({ tenant: 'acme' })
      .setProtectedHeader({ alg: this.algorithm, ...(kid === null ? {} : { kid }) })
      .setSubject('u1')
      .sign(this.privateKey);
  }
}

class Provider {
  asked = 0;
  answer: { status: number; body: string } | undefined;
  private readonly keys = new Map<string, Key>();

  private constructor(
    private readonly server: Server,
    readonly url: URL,
  ) {
    server.on('request', (_request, response) => {
      this.asked += 1;
      const keys = [...this.keys.values()].map(({ jwk }) => jwk);
      const { status, body } = this.answer ?? { status: 200, body: JSON.stringify({ keys }) };
      response.writeHead(status, { connection: 'close' }).end(body);
    });
  }

  static async start(): Promise<Provider> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = z.object({ port: z.number() }).parse(server.address());
    return new Provider(server, new URL(`http://127.0.0.1:${port}/jwks`));
  }

  async add(id: string, algorithm?: string): Promise<Key> {
    const key = await Key.make(id, algorithm);
    this.keys.set(id, key);
    return key;
  }

  remove(id: string): void {
    this.keys.delete(id);
  }

  async stop(): Promise<void> {
    if (!this.server.listening) return;
    await new Promise((resolve) => this.server.close(resolve));
  }
}
