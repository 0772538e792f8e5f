/** What every stored event says about how it came to be. Nothing else personal goes in. */
import { z } from 'zod';

/** Who can act. Only `agent` writes lists. */
export const ACTOR_KINDS = ['agent', 'user', 'plan', 'goal', 'delegated', 'plugin', 'mcp'] as const;
export type ActorKind = (typeof ACTOR_KINDS)[number];

/** Who sent a command. */
export interface Actor {
  readonly kind: ActorKind;
  /** The caller's name at its identity provider; `local` where no auth is configured. */
  readonly subject: string;
}

/** The version that events are written in today. Older ones are raised by upcasters. */
export const SCHEMA_VERSION = 1;

export const eventMetadata = z.object({
  $correlationId: z.string(),
  $causationId: z.string(),
  schemaVersion: z.int().positive(),
  actor: z.object({ kind: z.string(), subject: z.string() }),
  traceparent: z.string().optional(),
});

/** Metadata as it is read back. An actor's kind is any string: a newer writer may know more. */
export type EventMetadata = z.infer<typeof eventMetadata>;
