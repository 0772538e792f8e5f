/** `planlog parked`: lists, retries, discards. */
import { parseArgs } from 'node:util';
import type { ParkedKeyJson } from '../../api/projections/projections.schemas.js';
import { printable } from '../frame/run-cli.js';
import { table } from '../frame/table.js';
import { EXIT, UsageError, type CliContext, type ExitCode, type RunVerb } from '../frame/verb.js';
import { accessProjections } from './access-projections.js';
import type { ProjectionsAccess } from './projections-access.js';

interface Order {
  readonly projection: string;
  readonly does: 'list' | 'retry' | 'discard';
  readonly keys: readonly string[];
}

export const parked: RunVerb = async (args, context) => {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { json: { type: 'boolean', default: false } },
    allowPositionals: true,
  });
  const order = orderOf(positionals);
  const access = await accessProjections(context);
  try {
    return order.does === 'list'
      ? await list(access, order.projection, values.json, context)
      : await repair(access, { ...order, does: order.does }, values.json, context);
  } finally {
    await access.close();
  }
};

/** @throws {UsageError} */
function orderOf([projection, does = 'list', ...keys]: readonly string[]): Order {
  if (projection === undefined) throw new UsageError('the name of a projection is needed');
  switch (does) {
    case 'list':
      if (keys[0] !== undefined) throw new UsageError(`"${keys[0]}" is one argument too many`);
      return { projection, does, keys };
    case 'retry':
    case 'discard':
      if (keys.length === 0) throw new UsageError(`${does} needs a key; list shows them`);
      return { projection, does, keys };
    default:
      throw new UsageError(`"${does}" is not known; there are list, retry and discard`);
  }
}

async function list(
  access: ProjectionsAccess,
  projection: string,
  json: boolean,
  { out }: CliContext,
): Promise<ExitCode> {
  const items: ParkedKeyJson[] = [];
  let cursor: string | null | undefined;
  do {
    const page = await access.parked(projection, cursor ?? undefined);
    items.push(...page.items);
    cursor = page.cursor;
  } while (cursor !== null);
  if (json) out(`${JSON.stringify({ items })}\n`);
  else if (items.length === 0) out(`nothing in ${projection} stands still\n`);
  else {
    const rows = items.map(({ key, revision, at, reason }) => [key, revision, at, reason]);
    out(table(['KEY', 'REVISION', 'STORED AT', 'REASON'], rows));
  }
  return EXIT.done;
}

async function repair(
  access: ProjectionsAccess,
  { projection, does, keys }: Order & { does: 'retry' | 'discard' },
  json: boolean,
  { out }: CliContext,
): Promise<ExitCode> {
  let code: ExitCode = EXIT.done;
  for (const key of keys) {
    const result = await access[does](projection, key);
    if (result.parked !== null) code = EXIT.failed;
    if (json) out(`${JSON.stringify(result)}\n`);
    else if (result.parked === null) out(`${printable(key)} flows again\n`);
    else {
      const { revision, reason } = result.parked;
      out(`${printable(key)} stands still again at revision ${revision}: ${printable(reason)}\n`);
    }
  }
  return code;
}
