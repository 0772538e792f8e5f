/** What `/health/ready` says, by the name of each check. */
import { readySchema } from '../../../src/api/health/health.schemas.js';
import type { RunningServer } from './running-server.js';

export async function readinessOf(
  server: RunningServer,
): Promise<{ status: number; checks: Record<string, string> }> {
  const { status, body } = await server.call('GET', '/health/ready');
  const checks = readySchema.safeParse(body).data?.checks ?? [];
  return { status, checks: Object.fromEntries(checks.map(({ name, state }) => [name, state])) };
}
