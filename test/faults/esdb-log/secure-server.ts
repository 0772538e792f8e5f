/** A stand-in with TLS and users, and connection strings to it. */
import { readFileSync } from 'node:fs';
import { EventStoreStandIn } from '../../../src/testing/eventstore-stand-in/stand-in.js';
import {
  adminRights,
  userRights,
  type Action,
  type StandInUser,
} from '../../../src/testing/eventstore-stand-in/users.js';

/** A file of test/fixtures/tls. */
export const tlsFile = (name: string): string => `test/fixtures/tls/${name}`;

/** What docs/eventstoredb.md says a user of ours needs, and nothing else. */
export function leastRights(action: Action, stream: string): boolean {
  if (stream === '$all') return action === 'read';
  return /^(\$\$)?agentSession-/.test(stream) || stream === 'planlog-log';
}

/** Rights that can be changed while the server runs. */
export class ChangingUser implements StandInUser {
  readonly name = 'planlog';
  readonly password = 'p:w/ä';
  may: StandInUser['may'] = leastRights;

  /** Has the least rights, but not this one. */
  lose(action: Action, prefix: string): void {
    this.may = (wanted, stream) =>
      leastRights(wanted, stream) && !(wanted === action && stream.startsWith(prefix));
  }
}

export class SecureServer {
  private constructor(
    readonly standIn: EventStoreStandIn,
    readonly user: ChangingUser,
  ) {}

  /** @param certificate its name in test/fixtures/tls */
  static async start(certificate = 'server'): Promise<SecureServer> {
    const user = new ChangingUser();
    const standIn = await EventStoreStandIn.start({
      certificate: {
        certificate: readFileSync(tlsFile(`${certificate}.crt`)),
        key: readFileSync(tlsFile(`${certificate}.key`)),
      },
      users: [
        user,
        { name: 'admin', password: 'changeit', may: adminRights },
        { name: 'other', password: 'o', may: userRights },
      ],
    });
    return new SecureServer(standIn, user);
  }

  url({
    user = this.user.name,
    password = this.user.password,
    ca = 'ca.crt',
    hosts = `localhost:${this.standIn.port}`,
  }: {
    readonly user?: string;
    readonly password?: string;
    readonly ca?: string | undefined;
    readonly hosts?: string;
  } = {}): string {
    const who = user === '' ? '' : `${user}:${encodeURIComponent(password)}@`;
    const trust = ca === '' ? '' : `&tlsCAFile=${encodeURIComponent(tlsFile(ca))}`;
    return `esdb://${who}${hosts}?tls=true${trust}`;
  }
}
