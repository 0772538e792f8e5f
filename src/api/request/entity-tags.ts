/**
 * Revisions as HTTP knows them: `<revision>`, or `<revision>.<epoch>` where a read model was
 * promoted, parked or mended. In quotes they are entity tags, without them SSE ids.
 */
import type { IfMatch } from '../../commands/session/session-commands.js';
import {
  compareVersions,
  type SnapshotVersion,
} from '../../projections/session-todos/session-snapshot.js';
import { invalidRequest } from '../problem/problem.js';

const VERSION = /^(0|[1-9]\d{0,18})(?:\.(0|[1-9]\d{0,14}))?$/;
/** One element of a list, with the comma or end that follows it. Linear: nothing overlaps. */
const LIST_ELEMENT = /[ \t]*(?:(?:W\/)?"([\x21\x23-\x7e\x80-\xff]*)")?[ \t]*(?:,|$)/y;

/** As in an SSE id. */
export function formatVersion({ revision, epoch }: SnapshotVersion): string {
  return epoch === 0 ? revision.toString() : `${revision.toString()}.${epoch}`;
}

/** Undefined where the text is no version. */
export function parseVersion(text: string): SnapshotVersion | undefined {
  const match = VERSION.exec(text);
  if (match?.[1] === undefined) return undefined;
  return { revision: BigInt(match[1]), epoch: match[2] === undefined ? 0 : Number(match[2]) };
}

/** As in an ETag. */
export function formatEntityTag(version: SnapshotVersion): string {
  return `"${formatVersion(version)}"`;
}

/**
 * The revisions an If-Match allows. A tag's epoch plays no part: it is about the read model,
 * and the fence is about the stream.
 *
 * @throws {Problem} it is anything else: a fence that is not understood must not let through
 */
export function parseIfMatch(header: string | undefined): IfMatch | undefined {
  if (header === undefined) return undefined;
  if (header.trim() === '*') return '*';
  const revisions = parseTags(header)?.map((tag) => parseVersion(tag)?.revision);
  if (revisions === undefined || revisions.length === 0 || revisions.includes(undefined)) {
    throw invalidRequest('If-Match', 'revisions in quotes, such as "12" or "12.1", or *');
  }
  return revisions.filter((revision) => revision !== undefined);
}

/** Does an If-None-Match name this version? What is no tag of ours simply does not. */
export function matchesVersion(header: string | undefined, version: SnapshotVersion): boolean {
  if (header === undefined) return false;
  if (header.trim() === '*') return true;
  return (parseTags(header) ?? []).some((tag) => {
    const named = parseVersion(tag);
    return named !== undefined && compareVersions(named, version) === 0;
  });
}

/** What stands in the quotes of each tag; undefined where the header is no list of tags. */
function parseTags(header: string): string[] | undefined {
  const tags: string[] = [];
  LIST_ELEMENT.lastIndex = 0;
  do {
    const match = LIST_ELEMENT.exec(header);
    if (match === null) return undefined;
    if (match[1] !== undefined) tags.push(match[1]);
  } while (LIST_ELEMENT.lastIndex < header.length);
  return tags;
}
