/** The variables of auth: what they make, and every refusal by name and without a value. */
import { ConfigError, readConfig } from '../../../src/server/config.js';

const SECRET = 'a secret of thirty-two bytes or so, for tests';

function faultsOf(env: Record<string, string>): readonly string[] {
  try {
    readConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
  return [];
}

const DEFAULTS = {
  issuer: undefined,
  audience: undefined,
  claims: { tenant: 'tenant', scope: 'scope', actor: 'actor', session: 'session' },
};

it('asks for no token where nothing is set', () => {
  expect(readConfig({}).auth).toBeUndefined();
});

it('takes a shared secret, and then listens anywhere', () => {
  const config = readConfig({ PLANLOG_JWT_SECRET: SECRET, HOST: '0.0.0.0' });
  expect(config.host).toBe('0.0.0.0');
  expect(config.auth).toEqual({ keys: { kind: 'secret', secret: SECRET }, ...DEFAULTS });
});

it('takes the address of a key set, and every other variable', () => {
  expect(
    readConfig({
      PLANLOG_JWKS_URL: 'https://idp.example/keys',
      PLANLOG_JWT_ISSUER: 'https://idp.example',
      PLANLOG_JWT_AUDIENCE: 'planlog',
      PLANLOG_CLAIM_TENANT: 'org',
      PLANLOG_CLAIM_SCOPE: 'roles',
      PLANLOG_CLAIM_ACTOR: 'kind',
      PLANLOG_CLAIM_SESSION: 'sid',
    }).auth,
  ).toEqual({
    keys: { kind: 'jwks', url: new URL('https://idp.example/keys') },
    issuer: 'https://idp.example',
    audience: 'planlog',
    claims: { tenant: 'org', scope: 'roles', actor: 'kind', session: 'sid' },
  });
});

it('counts the bytes of a secret', () => {
  expect(faultsOf({ PLANLOG_JWT_SECRET: 'x'.repeat(31) })).toEqual([
    'PLANLOG_JWT_SECRET is not usable; allowed is a secret of at least 32 bytes, such as "openssl rand -base64 48" makes',
  ]);
  expect(faultsOf({ PLANLOG_JWT_SECRET: 'ä'.repeat(16) })).toEqual([]);
});

it.each([
  ['http://idp.example/keys'],
  ['http://localhost.example/keys'],
  ['file:///etc/keys'],
  ['idp.example/keys'],
  ['https://'],
])('refuses the key set %s', (url) => {
  const faults = faultsOf({ PLANLOG_JWKS_URL: url });
  expect(faults).toHaveLength(1);
  expect(faults[0]).toContain('PLANLOG_JWKS_URL is not usable; allowed is');
});

it.each(['http://127.0.0.1:8080/keys', 'http://localhost/keys', 'http://[::1]:1/keys'])(
  'takes the key set %s of this machine',
  (url) => {
    expect(faultsOf({ PLANLOG_JWKS_URL: url })).toEqual([]);
  },
);

it('refuses both kinds of keys at once', () => {
  const faults = faultsOf({ PLANLOG_JWT_SECRET: SECRET, PLANLOG_JWKS_URL: 'https://i.example/k' });
  expect(faults.join()).toContain('PLANLOG_JWT_SECRET and PLANLOG_JWKS_URL');
  expect(faults.join()).not.toContain(SECRET);
});

it.each([
  'PLANLOG_JWT_ISSUER',
  'PLANLOG_JWT_AUDIENCE',
  'PLANLOG_CLAIM_TENANT',
  'PLANLOG_CLAIM_SCOPE',
  'PLANLOG_CLAIM_ACTOR',
  'PLANLOG_CLAIM_SESSION',
])('refuses %s alone: the server would be open', (name) => {
  expect(faultsOf({ [name]: 'x' })).toEqual([
    `${name} is set; it needs PLANLOG_JWKS_URL or PLANLOG_JWT_SECRET beside it`,
  ]);
});

it('does not ask for loopback where the auth that is meant is at fault', () => {
  const faults = faultsOf({ PLANLOG_JWT_SECRET: 'short', HOST: '0.0.0.0' });
  expect(faults.join()).not.toContain('HOST');
});
