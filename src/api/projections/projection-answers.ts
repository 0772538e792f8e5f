/** What the routes of projections answer, and the command line where no server runs. */
import type { FastifyReply } from 'fastify';
import type { z } from 'zod';
import type { Position } from '../../events/log/position.js';
import type { ManagedProjection } from '../../projections/runtime/managed-projection.js';
import type { ParkedKey, UnparkedKey } from '../../projections/runtime/parking/parked-keys.js';
import { JSON_MEDIA_TYPE } from '../request/send-receipt.js';
import type {
  parkedPageSchema,
  ParkedKeyJson,
  ProjectionJson,
  unparkedSchema,
} from './projections.schemas.js';

/** @param head where the log ends; undefined where that is not known */
export async function projectionJson(
  projection: ManagedProjection,
  head: Position | undefined,
): Promise<ProjectionJson> {
  const { name, version, state, secondsBehind, distance, parked, problem, serving } =
    await projection.status(head);
  const generations = [...(await projection.listGenerations(head))];
  return {
    name,
    version,
    serving,
    state,
    secondsBehind,
    distance,
    parked,
    problem,
    generations,
  };
}

/** A page of parked keys, and where the next one goes on. */
export async function parkedPage(
  projection: ManagedProjection,
  limit: number,
  cursor?: string,
): Promise<z.infer<typeof parkedPageSchema>> {
  // One more than asked for: is there another page?
  const found = await projection.parkedKeys(limit + 1, cursor);
  const items = found.slice(0, limit).map(parkedJson);
  return { items, cursor: found.length > limit ? (items.at(-1)?.key ?? null) : null };
}

export function unparkedJson({ key, parked }: UnparkedKey): z.infer<typeof unparkedSchema> {
  if (parked === undefined) return { key, parked: null };
  const { key: _, ...at } = parkedJson({ key, parked });
  return { key, parked: at };
}

function parkedJson({ key, parked }: ParkedKey): ParkedKeyJson {
  const { stream, revision, reason, at } = parked;
  return { key, stream, revision: revision.toString(), reason, at };
}

/** Answers of today: nobody keeps them. */
export function sendAdmin(reply: FastifyReply, body: object): void {
  void reply
    .header('Content-Type', JSON_MEDIA_TYPE)
    .header('Cache-Control', 'no-store')
    .send(JSON.stringify(body));
}
