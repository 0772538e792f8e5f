/** What a caller can be allowed. */

/** What a caller can be given. `todos:write` holds turns, writes and forks. */
export const SCOPES = ['todos:read', 'todos:write', 'sessions:delete', 'metrics', 'admin'] as const;
export type Scope = (typeof SCOPES)[number];
