/**
 * The users that a stand-in with TLS knows, and what each of them may do. Without TLS a client
 * sends no credentials at all, and a real server then lets everybody do everything.
 */
import type { Metadata } from '@grpc/grpc-js';
import { callFailure, type CallStatus } from './wire/statuses.js';

export type Action = 'read' | 'write';

export interface StandInUser {
  readonly name: string;
  readonly password: string;
  /** Asked for each call, so that rights can change while the server runs. `$all` is read as a
   * stream of that name, and metadata as the stream `$$…`. */
  may(action: Action, stream: string): boolean;
}

/** What a member of `$admins` may do. */
export function adminRights(): boolean {
  return true;
}

/** What everybody else may do where no ACL says anything: no system streams, so not `$all`. */
export function userRights(_action: Action, stream: string): boolean {
  return stream.startsWith('$$') ? !stream.startsWith('$$$') : !stream.startsWith('$');
}

export class Users {
  readonly #users: ReadonlyMap<string, StandInUser>;

  constructor(users: readonly StandInUser[]) {
    this.#users = new Map(users.map((user) => [user.name, user]));
  }

  /** The error that a call of this caller must end with; undefined where it may go on. */
  refusal(metadata: Metadata, action: Action, stream: string): CallStatus | undefined {
    const header = metadata.get('authorization')[0];
    if (typeof header !== 'string') return callFailure('access-denied');
    const [name = '', ...rest] = Buffer.from(header.replace(/^Basic /, ''), 'base64')
      .toString('utf8')
      .split(':');
    const user = this.#users.get(name);
    if (user?.password !== rest.join(':')) return callFailure('unauthenticated');
    return user.may(action, stream) ? undefined : callFailure('access-denied');
  }
}
