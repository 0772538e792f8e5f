/** What a token's claims make of its caller. */
import { callerOf, UnusableClaimError } from '../../../../src/api/auth/caller.js';
import { DEFAULT_CLAIM_NAMES } from '../../../../src/api/auth/claim-names.js';

const claims = { sub: 'u1', tenant: 'acme' };

it('is a user without scopes where the token says no more', () => {
  expect(callerOf(claims)).toEqual({
    tenant: 'acme',
    actor: { kind: 'user', subject: 'u1' },
    scopes: new Set(),
    session: undefined,
    expiresAt: undefined,
  });
});

it.each([
  ['todos:read todos:write', ['todos:read', 'todos:write']],
  [
    ['admin', 'metrics'],
    ['metrics', 'admin'],
  ],
  ['openid todos:read profile', ['todos:read']],
  ['todos:readx  todos', []],
  ['', []],
])('takes the scopes of %j', (scope, expected) => {
  expect([...callerOf({ ...claims, scope }).scopes]).toEqual(expected);
});

it('takes the scopes of scp, but not beside scope and not where another name was chosen', () => {
  const scp = ['todos:read'];
  expect([...callerOf({ ...claims, scp }).scopes]).toEqual(scp);
  expect([...callerOf({ ...claims, scp, scope: 'admin' }).scopes]).toEqual(['admin']);
  const names = { ...DEFAULT_CLAIM_NAMES, scope: 'roles' };
  expect([...callerOf({ ...claims, scp }, names).scopes]).toEqual([]);
});

it('reads claims under the names of the provider', () => {
  const names = { tenant: 'https://x.example/org', scope: 'roles', actor: 'kind', session: 'sid' };
  const caller = callerOf(
    { sub: 'u', 'https://x.example/org': 'acme', roles: ['todos:write'], kind: 'agent', sid: 's1' },
    names,
  );
  expect(caller).toMatchObject({
    tenant: 'acme',
    actor: { kind: 'agent', subject: 'u' },
    session: 's1',
  });
  expect([...caller.scopes]).toEqual(['todos:write']);
});

it('ends when the token does', () => {
  expect(callerOf({ ...claims, exp: 1_700_000_000 }).expiresAt).toBe(1_700_000_000_000);
});

it.each([
  ['no tenant', { sub: 'u1' }],
  ['a tenant of another form', { ...claims, tenant: 'Acme Inc.' }],
  ['a tenant that would reach into another', { ...claims, tenant: 'acme.s1' }],
  ['a tenant that is no text', { ...claims, tenant: ['acme'] }],
  ['no subject', { tenant: 'acme' }],
  ['an empty subject', { ...claims, sub: '' }],
  ['a subject that is a document', { ...claims, sub: 'x'.repeat(256) }],
  ['an unknown kind of actor', { ...claims, actor: 'root' }],
  ['scopes that are no text', { ...claims, scope: { admin: true } }],
  ['a session of another form', { ...claims, session: '../other' }],
])('refuses %s', (_what, bad) => {
  expect(() => callerOf(bad)).toThrow(UnusableClaimError);
});

it('reads own claims only', () => {
  const names = { ...DEFAULT_CLAIM_NAMES, tenant: 'constructor' };
  expect(() => callerOf({ sub: 'u1' }, names)).toThrow(UnusableClaimError);
});
