/**
 * Recognises SQLite's own errors by number. Never by `instanceof Error`: the driver makes
 * them in its own realm, where that test can be false.
 */

/** Primary result codes the log decides on. */
export const SQLITE = {
  BUSY: 5,
  IOERR: 10,
  CORRUPT: 11,
  FULL: 13,
  NOTADB: 26,
} as const;

/** SQLite's primary result code, or undefined for any other error. */
export function sqliteCode(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null || !('errcode' in error)) return undefined;
  return typeof error.errcode === 'number' ? error.errcode & 0xff : undefined;
}

/** The message of anything thrown. */
export function messageOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'message' in error
    ? String(error.message)
    : String(error);
}
