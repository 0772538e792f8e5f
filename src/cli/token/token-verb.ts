/** How `planlog token` is called. */
import type { Verb } from '../frame/verb.js';

const usage = `Usage: planlog token [options]

Prints a bearer token for a server that has the same PLANLOG_JWT_SECRET. Issuer,
audience and claim names are taken from the same variables as the server's.
  --tenant   default
  --subject  who it speaks for; planlog-token by default
  --scope    "todos:read todos:write sessions:delete" by default; there are also
             metrics and admin
  --actor    agent by default; only an agent writes lists
  --session  binds it to one session
  --expires  a duration such as 30s, 15m, 8h or 30d; 1h by default`;

export const tokenVerb: Verb = {
  name: 'token',
  summary: 'print a bearer token for a server with a shared secret',
  usage,
  load: async () => (await import('./mint-token.js')).mintToken,
};
