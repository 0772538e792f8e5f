/** Reads a connection string into what a client of ours is made of. */
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type {
  ChannelCredentialOptions,
  Credentials,
  DNSClusterOptions,
  GossipClusterOptions,
  SingleNodeOptions,
} from '@eventstore/db-client';
import {
  parseConnectionString,
  type ConnectionOptions,
} from '@eventstore/db-client/dist/Client/parseConnectionString.js';

/** The connection string cannot be used. The message never holds the password. */
export class ConnectionStringError extends Error {
  override readonly name = 'ConnectionStringError';
}

export type NodeSettings = DNSClusterOptions | GossipClusterOptions | SingleNodeOptions;

export interface ConnectionSettings {
  readonly node: NodeSettings;
  readonly channel: ChannelCredentialOptions;
  readonly credentials: Credentials | undefined;
  /** Credentials that a single call may carry; undefined where none can be sent. */
  readonly perCall: Credentials | undefined;
  readonly hosts: readonly { readonly address: string; readonly port: number }[];
  /** Where the server is, for messages: hosts only. */
  readonly target: string;
}

/** db-client warns below this. */
const KEEP_ALIVE_MS = 10_000;

/** @throws {ConnectionStringError} */
export function connectionSettings(connectionString: string): ConnectionSettings {
  const options = parsedOptions(connectionString);
  const [first] = options.hosts;
  if (first === undefined) throw new ConnectionStringError('the connection string names no host');
  const common = {
    // A result that only looks like success is never wanted (faults.md A5).
    throwOnAppendFailure: true,
    keepAliveInterval: options.keepAliveInterval ?? KEEP_ALIVE_MS,
    keepAliveTimeout: options.keepAliveTimeout ?? KEEP_ALIVE_MS,
    ...(options.defaultDeadline === undefined ? {} : { defaultDeadline: options.defaultDeadline }),
    ...(options.connectionName === undefined ? {} : { connectionName: options.connectionName }),
  };
  const discovery = {
    // Appends need the leader, and a reader on another node may not see its own write.
    nodePreference: 'leader' as const,
    ...(options.gossipTimeout === undefined ? {} : { gossipTimeout: options.gossipTimeout }),
    ...(options.discoveryInterval === undefined
      ? {}
      : { discoveryInterval: options.discoveryInterval }),
    ...(options.maxDiscoverAttempts === undefined
      ? {}
      : { maxDiscoverAttempts: options.maxDiscoverAttempts }),
  };
  let node: NodeSettings = { ...common, endpoint: first };
  if (options.dnsDiscover) node = { ...common, ...discovery, discover: first };
  else if (options.hosts.length > 1)
    node = { ...common, ...discovery, endpoints: [...options.hosts] };
  const insecure = options.tls === false;
  return {
    node,
    channel: channelCredentials(options, insecure),
    credentials: options.defaultCredentials,
    // An insecure client drops them, so any will do to choose the classic path.
    perCall: options.defaultCredentials ?? (insecure ? { username: '', password: '' } : undefined),
    hosts: options.hosts,
    target: options.hosts.map(({ address, port }) => `${address}:${port}`).join(','),
  };
}

function parsedOptions(connectionString: string): ConnectionOptions {
  if (!/^esdb(\+discover)?:\/\//.test(connectionString)) {
    const scheme = /^[a-z0-9+.-]{1,20}:/i.exec(connectionString)?.[0] ?? '';
    throw new ConnectionStringError(
      `a connection string begins with esdb:// or esdb+discover://, not with "${scheme}"`,
    );
  }
  try {
    return parseConnectionString(connectionString);
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    throw new ConnectionStringError(`the connection string cannot be read: ${withoutUser(text)}`);
  }
}

function withoutUser(text: string): string {
  return text.replaceAll(/[^\s/"]+@/g, '***@');
}

function channelCredentials(
  options: ConnectionOptions,
  insecure: boolean,
): ChannelCredentialOptions {
  const { tlsCAFile, userCertFile, userKeyFile } = options;
  if (insecure) return { insecure: true };
  if ((userCertFile === undefined) !== (userKeyFile === undefined)) {
    throw new ConnectionStringError('userCertFile and userKeyFile go together');
  }
  return {
    insecure: false,
    ...(tlsCAFile === undefined ? {} : { rootCertificate: fileOf('tlsCAFile', tlsCAFile) }),
    ...(userCertFile === undefined ? {} : { userCertFile: fileOf('userCertFile', userCertFile) }),
    ...(userKeyFile === undefined ? {} : { userKeyFile: fileOf('userKeyFile', userKeyFile) }),
  };
}

function fileOf(key: string, name: string): Buffer {
  const path = resolve(name);
  if (!existsSync(path)) {
    throw new ConnectionStringError(`the file that ${key} names does not exist: ${path}`);
  }
  return readFileSync(path);
}
