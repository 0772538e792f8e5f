/** `planlog projections`: lists, pauses, resumes. */
import { parseArgs } from 'node:util';
import type { ProjectionJson } from '../../api/projections/projections.schemas.js';
import { table } from '../frame/table.js';
import { EXIT, UsageError, type CliContext, type RunVerb } from '../frame/verb.js';
import { printable } from '../frame/run-cli.js';
import { accessProjections } from './access-projections.js';
import type { ProjectionsAccess } from './projections-access.js';

type Action = (access: ProjectionsAccess) => Promise<readonly ProjectionJson[]>;

export const projections: RunVerb = async (args, context) => {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { json: { type: 'boolean', default: false } },
    allowPositionals: true,
  });
  const action = actionOf(positionals);
  const access = await accessProjections(context);
  try {
    const found = await action(access);
    const one = positionals[0] === 'pause' || positionals[0] === 'resume';
    if (values.json) context.out(`${JSON.stringify(one ? found[0] : { items: found })}\n`);
    else show(found, context);
    return EXIT.done;
  } finally {
    await access.close();
  }
};

/** @throws {UsageError} */
function actionOf([what = 'list', name, ...more]: readonly string[]): Action {
  const [surplus] = what === 'list' && name !== undefined ? [name] : more;
  if (surplus !== undefined) throw new UsageError(`"${surplus}" is one argument too many`);
  switch (what) {
    case 'list':
      return (access) => access.list();
    case 'pause':
    case 'resume': {
      if (name === undefined) throw new UsageError(`${what} needs the name of a projection`);
      return async (access) => [await access[what](name)];
    }
    default:
      throw new UsageError(`"${what}" is not known; there are list, pause and resume`);
  }
}

function show(found: readonly ProjectionJson[], { out }: CliContext): void {
  out(
    table(
      ['PROJECTION', 'VERSION', 'STATE', 'BEHIND', 'DISTANCE', 'PARKED', 'SERVING'],
      found.map((one) => [
        one.name,
        String(one.version),
        one.state,
        one.secondsBehind === null ? '-' : `${one.secondsBehind} s`,
        one.distance ?? '-',
        String(one.parked),
        one.serving === null ? '-' : String(one.serving),
      ]),
    ),
  );
  for (const { name, problem, parked } of found) {
    if (problem !== null) out(`${name}: ${printable(problem)}\n`);
    if (parked > 0) out(`${name}: planlog parked ${name} shows what stands still\n`);
  }
}
