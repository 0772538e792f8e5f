/**
 * Why a server that cannot be reached never will be: asks its ports for TLS. db-client says
 * "failed to connect" where a port wants TLS, and "failed to discover" for everything that is
 * wrong with a cluster, so both would look like an outage (eventstoredb.md 0a, "Secure mode").
 */
import { isIP } from 'node:net';
import { connect } from 'node:tls';
import { settingProblem } from './classify-error.js';
import type { ConnectionSettings } from './connection-settings.js';

/** How long a port may take to answer, in milliseconds. */
const HANDSHAKE_MS = 2_000;

/** @returns undefined where waiting may help */
export async function connectionProblem({
  hosts,
  channel,
}: Pick<ConnectionSettings, 'hosts' | 'channel'>): Promise<string | undefined> {
  for (const host of hosts) {
    const failure = await handshake(host, channel);
    if (channel.insecure !== true) {
      const problem = failure && settingProblem(failure);
      if (problem !== undefined) return problem;
    } else if (failure === undefined) {
      return `the port ${host.port} of ${host.address} speaks TLS, and the connection string says tls=false; say tls=true`;
    }
  }
  return undefined;
}

/** @returns undefined where both sides speak TLS and trust each other */
function handshake(
  { address, port }: ConnectionSettings['hosts'][number],
  channel: ConnectionSettings['channel'],
): Promise<Error | undefined> {
  return new Promise((resolve) => {
    const trust =
      channel.insecure === true
        ? { rejectUnauthorized: false }
        : {
            ...(channel.rootCertificate && { ca: channel.rootCertificate }),
            ...(channel.userCertFile && { cert: channel.userCertFile }),
            ...(channel.userKeyFile && { key: channel.userKeyFile }),
          };
    const socket = connect({
      host: address,
      port,
      ALPNProtocols: ['h2'],
      ...(isIP(address) === 0 && { servername: address }),
      ...trust,
    });
    const end = (failure: Error | undefined): void => {
      socket.destroy();
      resolve(failure);
    };
    socket.setTimeout(HANDSHAKE_MS, () => {
      end(new Error('no answer'));
    });
    socket.once('secureConnect', () => {
      end(undefined);
    });
    socket.on('error', end);
  });
}
