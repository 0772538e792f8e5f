/** The stock server's environment: defaults, values, and every refusal by name. */
import { ConfigError, readConfig } from '../../../src/server/config.js';

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
  host: '127.0.0.1',
  port: 3000,
  dataDir: './data',
  policy: {
    allowParallelInProgress: false,
    maxItems: 200,
    maxContentLength: 2_000,
    maxListBytes: 262_144,
  },
  maxBodyBytes: 1_048_576,
  logLevel: 'info',
};

it('has defaults for everything, and takes empty for not set', () => {
  expect(readConfig({})).toEqual(DEFAULTS);
  expect(readConfig({ PORT: '', HOST: '', DATABASE_URL: '', PATH: '/bin' })).toEqual(DEFAULTS);
});

it('takes every value', () => {
  expect(
    readConfig({
      HOST: '::1',
      PORT: '0',
      PLANLOG_DATA_DIR: '/var/lib/planlog',
      PLANLOG_ALLOW_PARALLEL_IN_PROGRESS: 'true',
      PLANLOG_MAX_ITEMS: '5',
      PLANLOG_MAX_CONTENT_LENGTH: '10',
      PLANLOG_MAX_LIST_BYTES: '2048',
      PLANLOG_MAX_BODY_BYTES: '16384',
      PLANLOG_LOG_LEVEL: 'debug',
    }),
  ).toEqual({
    host: '::1',
    port: 0,
    dataDir: '/var/lib/planlog',
    policy: {
      allowParallelInProgress: true,
      maxItems: 5,
      maxContentLength: 10,
      maxListBytes: 2_048,
    },
    maxBodyBytes: 16_384,
    logLevel: 'debug',
  });
});

it.each(['127.0.0.1', '127.9.9.9', 'localhost', '::1'])('listens on %s', (HOST) => {
  expect(readConfig({ HOST }).host).toBe(HOST);
});

it.each(['0.0.0.0', '::', '10.0.0.1', 'example.org', '127.0.0.1.example.org', '127.1', '*'])(
  'refuses to listen on %s without auth, and says why',
  (HOST) => {
    const faults = faultsOf({ HOST });
    expect(faults).toHaveLength(1);
    expect(faults[0]).toContain('HOST');
    expect(faults[0]).toContain('loopback');
    expect(faults[0]).toContain('no auth is configured');
  },
);

it.each([
  ['PORT', '-1', '0 to 65535'],
  ['PORT', '65536', '0 to 65535'],
  ['PORT', '3000.5', '0 to 65535'],
  ['PORT', ' 3000', '0 to 65535'],
  ['PORT', '0x10', '0 to 65535'],
  ['PORT', 'tcp://10.0.0.1:3000', '0 to 65535'],
  ['PLANLOG_ALLOW_PARALLEL_IN_PROGRESS', 'yes', 'true or false'],
  ['PLANLOG_ALLOW_PARALLEL_IN_PROGRESS', 'TRUE', 'true or false'],
  ['PLANLOG_ALLOW_PARALLEL_IN_PROGRESS', '1', 'true or false'],
  ['PLANLOG_MAX_ITEMS', '0', '1 to 10000'],
  ['PLANLOG_MAX_ITEMS', 'many', '1 to 10000'],
  ['PLANLOG_MAX_CONTENT_LENGTH', '0', '1 to 262144'],
  ['PLANLOG_MAX_LIST_BYTES', '1023', '1024 to 1040384'],
  ['PLANLOG_MAX_LIST_BYTES', '1040385', '1024 to 1040384'],
  ['PLANLOG_MAX_BODY_BYTES', '1', '16384 to 67108864'],
  ['PLANLOG_LOG_LEVEL', 'verbose', 'silent, error, warn, info, debug'],
])('refuses %s=%s and says what is allowed', (name, value, allowed) => {
  const faults = faultsOf({ [name]: value });
  expect(faults).toHaveLength(1);
  expect(faults[0]).toContain(name);
  expect(faults[0]).toContain(allowed);
});

it('names every variable at fault', () => {
  const faults = faultsOf({ PORT: 'x', HOST: '0.0.0.0', DATABASE_URL: 'postgres://secret' });
  expect(faults).toHaveLength(3);
  for (const name of ['HOST', 'PORT', 'DATABASE_URL']) expect(faults.join()).toContain(name);
  expect(faults.join()).not.toContain('secret');
});

it('refuses a body limit that a list of the policy does not fit', () => {
  const [fault] = faultsOf({ PLANLOG_MAX_LIST_BYTES: '1000000', PLANLOG_MAX_BODY_BYTES: '500000' });
  expect(fault).toContain('PLANLOG_MAX_BODY_BYTES');
  expect(fault).toContain('1004096');
});

it.each([
  'DATABASE_URL',
  'DATABASE_LISTEN_URL',
  'PLANLOG_JWKS_URL',
  'PLANLOG_JWT_SECRET',
  'PLANLOG_JWT_ISSUER',
  'PLANLOG_JWT_AUDIENCE',
  'PLANLOG_CLAIM_TENANT',
  'PLANLOG_CLAIM_SCOPE',
  'PLANLOG_CLAIM_ACTOR',
  'PLANLOG_CLAIM_SESSION',
])('does not ignore %s, which it does not support yet', (name) => {
  const faults = faultsOf({ [name]: 'hidden' });
  expect(faults).toHaveLength(1);
  expect(faults[0]).toContain(name);
  expect(faults[0]).not.toContain('hidden');
});

it('takes EventStoreDB in place of the embedded log', () => {
  expect(readConfig({ EVENTSTORE_URL: 'esdb://localhost:2113?tls=false' }).eventStore).toEqual({
    url: 'esdb://localhost:2113?tls=false',
    compression: 'off',
  });
  const slow = { EVENTSTORE_URL: 'esdb+discover://cluster', EVENTSTORE_COMPRESSION: 'gzip' };
  expect(readConfig(slow).eventStore).toEqual({
    url: 'esdb+discover://cluster',
    compression: 'gzip',
  });
});

it('does not show a connection string that it cannot use: it may hold a password', () => {
  const [fault] = faultsOf({ EVENTSTORE_URL: 'http://admin:changeit@localhost' });
  expect(fault).toContain('EVENTSTORE_URL');
  expect(fault).toContain('esdb://');
  expect(fault).not.toContain('changeit');
  expect(faultsOf({ EVENTSTORE_COMPRESSION: 'br' })[0]).toContain('off or gzip');
});
