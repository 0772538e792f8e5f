/**
 * The cursor of an overview page. It holds where the page ended, and nothing that ages: it can
 * be used as long as one likes, with other filters too. Callers are not to look inside.
 */
import { ID_PATTERN } from '../../events/session-stream.js';

const MARK = 'overview-1:';
/** The longest id, marked, as base64url. */
const MAX_LENGTH = Math.ceil(((MARK.length + 128) * 4) / 3);

export const CURSOR_PATTERN = new RegExp(`^[A-Za-z0-9_-]{1,${MAX_LENGTH}}$`);

/** @param sessionId the last one of a page */
export function formatCursor(sessionId: string): string {
  return Buffer.from(MARK + sessionId).toString('base64url');
}

/** The session a cursor stands at; undefined where it is none of ours. */
export function parseCursor(text: string): string | undefined {
  if (!CURSOR_PATTERN.test(text)) return undefined;
  const marked = Buffer.from(text, 'base64url').toString();
  if (!marked.startsWith(MARK)) return undefined;
  const sessionId = marked.slice(MARK.length);
  // Several texts decode to the same bytes: only one of them was given out.
  return ID_PATTERN.test(sessionId) && formatCursor(sessionId) === text ? sessionId : undefined;
}
