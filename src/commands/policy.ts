/** What a deployment allows of new writes. Never applied to what is already stored. */
import { z } from 'zod';
import { MAX_APPEND_BYTES } from '../events/log/event-log.js';

/** Room for the rest of an event beside its list: type, turn id and metadata. */
const EVENT_ENVELOPE_BYTES = 8_192;

/** @throws {z.ZodError} a policy under which an accepted list could not be stored */
export const todoPolicySchema = z.strictObject({
  /** May several items be `in_progress`? Every deployment chooses: there is no default. */
  allowParallelInProgress: z.boolean(),
  /** The most items in a list. */
  maxItems: z.int().min(1).max(10_000).default(200),
  /** The most Unicode code points in one content. */
  maxContentLength: z.int().min(1).max(262_144).default(2_000),
  /** The most bytes of a list, as JSON in UTF-8: what the store has to carry. */
  maxListBytes: z
    .int()
    .min(1_024)
    .max(MAX_APPEND_BYTES - EVENT_ENVELOPE_BYTES)
    .default(262_144),
});

export type TodoPolicy = Readonly<z.infer<typeof todoPolicySchema>>;

/** Injection token of the deployment's policy. */
export const TODO_POLICY = Symbol('TodoPolicy');
