/** Sessions that the load writes to. */

const IN_FLIGHT = 16;

export function sessionIds(prefix, count) {
  return Array.from({ length: count }, (_, index) => `${prefix}-${index}`);
}

export function todosPath(session) {
  return `/v1/sessions/${session}/todos`;
}

/** Opens a turn in each session, in place of the one before. The bare programs have no turns. */
export async function openTurns(loader, server, sessions, turnId) {
  if (server.name !== 'planlog') return;
  const body = JSON.stringify({ turnId, supersede: true });
  const requests = sessions.map((session) => ({
    method: 'POST',
    path: `/v1/sessions/${session}/turns`,
    body,
  }));
  const answers = await loader.run('each', { url: server.url, requests, inFlight: IN_FLIGHT });
  const refused = answers.find(({ status }) => status !== 201);
  if (refused !== undefined) throw new Error(`no turn: ${refused.status} ${refused.body}`);
}
