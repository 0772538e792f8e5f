/**
 * Opening the log on a server with TLS and users: what a person has to mend is named at the
 * start, and not tried again in silence (eventstoredb.md 0a, "Secure mode").
 */
import { openEsdbEventLog } from '../../../src/events/log/esdb/open-esdb-event-log.js';
import type { EsdbEventLog } from '../../../src/events/log/esdb/esdb-event-log.js';
import { LOG_START } from '../../../src/events/log/position.js';
import { EventStoreStandIn } from '../../../src/testing/eventstore-stand-in/stand-in.js';
import {
  eventsOf,
  failure,
  ids,
  samples,
  untilCaughtUp,
} from '../../contract/event-log/sample-events.js';
import { SecureServer } from './secure-server.js';

const SESSION = 'agentSession-default.s1';

describe('0a secure: opening the log on a secure server', () => {
  const servers: EventStoreStandIn[] = [];
  const secure = async (certificate?: string): Promise<SecureServer> => {
    const server = await SecureServer.start(certificate);
    servers.push(server.standIn);
    return server;
  };
  afterEach(async () => {
    await Promise.all(servers.splice(0).map((server) => server.close()));
  });

  let reports: string[];
  const open = (connectionString: string): Promise<EsdbEventLog> => {
    reports = [];
    return openEsdbEventLog({
      connectionString,
      streamPrefixes: ['agentSession-'],
      appendTimeoutMs: 3_000,
      readTimeoutMs: 3_000,
      report: (_, message) => reports.push(message),
    });
  };
  /** What the start says; it has not waited for anything. */
  const refused = async (connectionString: string): Promise<string> => {
    const error = await failure(open(connectionString));
    expect(error).toMatchObject({ name: 'EsdbStartError' });
    expect(reports).toEqual([]);
    return String(error);
  };

  it('works with the least rights: appends, reads, pulls, truncates', async () => {
    const server = await secure();
    const log = await open(server.url());
    const events = samples(4);
    await log.append(SESSION, 'no_stream', events);
    await log.truncate(SESSION, 2n);
    const puller = log.pull({ prefix: 'agentSession-', after: LOG_START });
    expect(ids(eventsOf(await untilCaughtUp(puller)))).toEqual(ids(events));
    await puller.close();
    expect((await log.readiness()).ready).toBe(true);
    await log.close();
    // The checks have stored nothing.
    expect(server.standIn.store.logOf('agentSession-planlog-rights')).toBeUndefined();
    expect(server.standIn.store.logOf('$$agentSession-planlog-rights')).toBeUndefined();
  });

  it.each([
    ['read', '$all', 'read and subscribe to $all'],
    ['read', 'planlog-log', 'read the stream planlog-log'],
    ['write', 'planlog-log', 'write to the stream planlog-log'],
    ['read', 'agentSession-', 'read streams that begin with agentSession-'],
    ['write', 'agentSession-', 'write to streams that begin with agentSession-'],
    ['read', '$$agentSession-', 'read streams that begin with $$agentSession- (metadata)'],
    ['write', '$$agentSession-', 'write to streams that begin with $$agentSession- (metadata)'],
  ] as const)('names the missing right to %s %s', async (action, prefix, text) => {
    const server = await secure();
    server.user.lose(action, prefix);
    const said = await refused(server.url());
    expect(said).toContain(
      `the user planlog may not ${text}. See "Rights" in docs/eventstoredb.md`,
    );
    server.user.lose(action, 'nothing');
    await (await open(server.url())).close();
  });

  it('names all that is missing at once', async () => {
    const server = await secure();
    server.user.may = () => false;
    const said = await refused(server.url());
    expect(said.match(/may not/g)).toHaveLength(7);
  });

  it('says that a user outside $admins may not read $all', async () => {
    const server = await secure();
    const said = await refused(server.url({ user: 'other', password: 'o' }));
    expect(said).toContain('the user other may not read and subscribe to $all. See');
  });

  it('says that no user was named', async () => {
    const server = await secure();
    expect(await refused(server.url({ user: '' }))).toContain(
      'names no user, and who has no name may not',
    );
  });

  it.each([
    ['a wrong password', { password: 'wrong' }],
    ['a user that is not known', { user: 'nobody' }],
  ])('names %s', async (_, who) => {
    const server = await secure();
    const said = await refused(server.url(who));
    expect(said).toContain('does not accept the user name or the password');
    expect(said).not.toContain('wrong');
  });

  it.each([
    ['that no CA known here has signed', 'server', '', /not trusted; name its CA with tlsCAFile/],
    ['of another CA', 'server', 'other-ca.crt', /not trusted; name its CA with tlsCAFile/],
    ['for another name', 'elsewhere', 'ca.crt', /for another name; connect by a name/],
    ['that has expired', 'expired', 'ca.crt', /not valid now; renew it/],
  ])('names a certificate %s', async (_, certificate, ca, text) => {
    const server = await secure(certificate);
    expect(await refused(server.url({ ca }))).toMatch(text);
    // A cluster is discovered first, and the client says nothing of why that failed.
    const hosts = `localhost:${server.standIn.port},127.0.0.1:${server.standIn.port}`;
    expect(await refused(server.url({ ca, hosts }))).toMatch(text);
  });

  it('names a wrong scheme: no TLS to a port with it', async () => {
    const server = await secure();
    const { port } = server.standIn;
    for (const hosts of [`localhost:${port}`, `localhost:${port},127.0.0.1:${port}`]) {
      const said = await refused(`esdb://${hosts}?tls=false`);
      expect(said).toContain(`the port ${port} of localhost speaks TLS`);
      expect(said).toContain('say tls=true');
    }
  });

  it('names a wrong scheme: TLS to a port without it', async () => {
    const plain = await EventStoreStandIn.start();
    servers.push(plain);
    for (const hosts of [`127.0.0.1:${plain.port}`, `127.0.0.1:${plain.port},localhost:1`]) {
      expect(await refused(`esdb://u:p@${hosts}?tls=true`)).toContain('say tls=false');
    }
  });

  it.each([
    ['append', 'write', 'agentSession-', /not allowed to append/],
    ['subscribe', 'read', '$all', /not allowed to subscribe to \$all/],
  ] as const)(
    'a right to %s that is taken away later is named by readiness, and comes back',
    async (path, action, prefix, text) => {
      const server = await secure();
      const log = await open(server.url());
      server.user.lose(action, prefix);
      const use =
        path === 'append'
          ? (): Promise<unknown> => log.append(SESSION, 'no_stream', samples(1))
          : (): Promise<unknown> => log.pull({ prefix: 's', after: LOG_START }).next();
      expect(await failure(use())).toMatchObject({ code: 'unavailable' });
      const readiness = await log.readiness();
      expect(readiness.ready).toBe(false);
      expect(readiness[path].problem).toMatch(text);
      server.user.lose(action, 'nothing');
      await use();
      expect((await log.readiness()).ready).toBe(true);
      await log.close();
    },
  );
});
