/** `planlog token`: what it mints the server takes, and what it would not take is not minted. */
import { callerOf } from '../../../src/api/auth/caller.js';
import { TokenVerifier } from '../../../src/api/auth/token-verifier.js';
import { EXIT } from '../../../src/cli/frame/verb.js';
import { planlog } from './cli-run.js';

const secret = 'a secret of thirty-two bytes or so, for tests';
const env = { PLANLOG_JWT_SECRET: secret };

async function claimsOf(text: string, rules = {}): Promise<Record<string, unknown>> {
  return new TokenVerifier({ kind: 'secret', secret }, rules).verify(text.trim());
}

it('mints a token of an agent that reads, writes and deletes, for an hour', async () => {
  const { code, out, err } = await planlog(['token'], { env });
  expect([code, err]).toEqual([EXIT.done, '']);
  expect(out).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+\n$/);
  const claims = await claimsOf(out);
  expect(Number(claims['exp']) - Number(claims['iat'])).toBe(3_600);
  expect(callerOf(claims)).toMatchObject({
    tenant: 'default',
    actor: { kind: 'agent', subject: 'planlog-token' },
    scopes: new Set(['todos:read', 'todos:write', 'sessions:delete']),
    session: undefined,
  });
});

it('takes each claim, under the names and rules of the server', async () => {
  const names = {
    PLANLOG_CLAIM_TENANT: 'org',
    PLANLOG_CLAIM_SCOPE: 'roles',
    PLANLOG_CLAIM_ACTOR: 'kind',
    PLANLOG_CLAIM_SESSION: 'sid',
    PLANLOG_JWT_ISSUER: 'https://idp.example',
    PLANLOG_JWT_AUDIENCE: 'planlog',
  };
  const args = ['--tenant', 'acme', '--subject', 'ci', '--scope', 'admin', '--actor', 'user'];
  const { out } = await planlog(['token', ...args, '--session', 's1', '--expires', '30d'], {
    env: { ...env, ...names },
  });
  const claims = await claimsOf(out, { issuer: 'https://idp.example', audience: 'planlog' });
  expect(claims).toMatchObject({ sub: 'ci', org: 'acme', roles: 'admin', kind: 'user', sid: 's1' });
  expect(Number(claims['exp']) - Number(claims['iat'])).toBe(30 * 86_400);
});

it.each([
  ['no secret', [], {}, 'PLANLOG_JWT_SECRET'],
  ['a short secret', [], { PLANLOG_JWT_SECRET: 'short' }, '32 bytes'],
  ['keys that are not ours', [], { PLANLOG_JWKS_URL: 'https://i.example/k' }, 'PLANLOG_JWT_SECRET'],
  ['a tenant of another form', ['--tenant', 'A.B'], env, 'tenant'],
  ['a session of another form', ['--session', '../x'], env, 'session'],
  ['an unknown kind of actor', ['--actor', 'root'], env, 'actor'],
  ['an unknown scope', ['--scope', 'todos:read todos:wirte'], env, 'todos:wirte'],
  ['no duration', ['--expires', 'soon'], env, '--expires'],
  ['no time at all', ['--expires', '0s'], env, '--expires'],
  ['an unknown option', ['--admin'], env, '--admin'],
])('refuses %s', async (_what, args, environment, said) => {
  const { code, out, err } = await planlog(['token', ...args], { env: environment });
  expect(out).toBe('');
  expect(err).toContain(said);
  expect(err).not.toContain(secret);
  expect(code).not.toBe(EXIT.done);
});
