/** The version of this package, from its package.json. */
import { readFile } from 'node:fs/promises';
import { z } from 'zod';

/** From `dist/src/api/openapi`. */
const PACKAGE = new URL('../../../../package.json', import.meta.url);

const packageSchema = z.object({ version: z.string() });

export async function packageVersion(): Promise<string> {
  return packageSchema.parse(JSON.parse(await readFile(PACKAGE, 'utf8'))).version;
}
