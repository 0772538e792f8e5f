/** `planlog delete`: through the server, or on the log itself where none runs. */
import { randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import { CommandRuntime } from '../../commands/runtime/command-runtime.js';
import { DeleteSessionHandler } from '../../commands/session/handlers/delete-session.handler.js';
import { DeleteSession } from '../../commands/session/session-commands.js';
import { SessionTransactions } from '../../commands/session/session-transactions.js';
import {
  DEFAULT_TENANT,
  ID_PATTERN,
  sessionStream,
  TENANT_PATTERN,
  type SessionRef,
} from '../../events/session-stream.js';
import { PlanlogServer } from '../frame/planlog-server.js';
import { CliError, EXIT, UsageError, type CliContext, type RunVerb } from '../frame/verb.js';

export const deleteSession: RunVerb = async (args, context) => {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { tenant: { type: 'string' } },
    allowPositionals: true,
  });
  const [sessionId, ...more] = positionals;
  if (sessionId === undefined) throw new UsageError('the id of a session is needed');
  if (more[0] !== undefined) throw new UsageError(`"${more[0]}" is one argument too many`);
  if (!ID_PATTERN.test(sessionId)) throw new UsageError(`"${sessionId}" is no id of a session`);
  const { tenant } = values;
  if (tenant !== undefined && !TENANT_PATTERN.test(tenant)) {
    throw new UsageError(`"${tenant}" is no tenant`);
  }
  const server = new PlanlogServer(context);
  if (await server.isThere()) {
    if (tenant !== undefined) {
      throw new UsageError(`the server at ${server.url} takes the tenant from PLANLOG_TOKEN`);
    }
    const path = `/v1/sessions/${encodeURIComponent(sessionId)}`;
    const { status } = await server.send('DELETE', path);
    if (status !== 204) throw new CliError(`what answers at ${server.url} is no Planlog server`);
  } else {
    await deleteDirectly({ tenant: tenant ?? DEFAULT_TENANT, sessionId }, context);
  }
  context.out(`${sessionId} is deleted\n`);
  return EXIT.done;
};

async function deleteDirectly(session: SessionRef, context: CliContext): Promise<void> {
  const { openStoreDirectly } = await import('./direct-access.js');
  const { log, close } = await openStoreDirectly(context);
  try {
    const handler = new DeleteSessionHandler(new SessionTransactions(new CommandRuntime(log)));
    const envelope = {
      actor: { kind: 'user', subject: 'planlog-delete' },
      commandId: `delete-${randomUUID()}`,
    } as const;
    const { revision } = await handler.execute(new DeleteSession(session, envelope));
    // What the server's reaction would do; it does it again at the next start, and changes nothing.
    await log.truncate(sessionStream(session), revision);
  } finally {
    await close();
  }
}
