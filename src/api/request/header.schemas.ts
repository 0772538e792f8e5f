/** Request headers as callers are told of them. A test holds each form against what reads it. */
import { z } from 'zod';
import { ACTOR_KINDS } from '../../events/metadata.js';

const version = String.raw`(0|[1-9]\d{0,18})(\.(0|[1-9]\d{0,14}))?`;
const tag = String.raw`(W/)?"${version}"`;

/** What `parseIfMatch` reads; it also takes empty elements of the list. */
export const ifMatchSchema = z
  .string()
  .regex(new RegExp(String.raw`^(\*|${tag}([ \t]*,[ \t]*${tag})*)$`));

/** Anything may be sent: what names no version of the view simply does not match. */
export const ifNoneMatchSchema = z.string();

export const lastEventIdSchema = z.string().regex(new RegExp(`^${version}$`));

export const actorHeaderSchema = z.enum(ACTOR_KINDS).default('agent');

/** What is of another form is ignored. */
export const traceparentSchema = z
  .string()
  .regex(/^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/);
