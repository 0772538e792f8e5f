/** `planlog rebuild`: builds a generation, promotes it where that is asked for. */
import { parseArgs } from 'node:util';
import { PlanlogServer } from '../frame/planlog-server.js';
import { CliError, EXIT, UsageError, type CliContext, type RunVerb } from '../frame/verb.js';
import { ProgressReport } from './progress-report.js';
import type { RebuildWay } from './rebuild-way.js';
import { rebuildThroughServer } from './server-rebuild.js';

export const rebuild: RunVerb = async (args, context) => {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: {
      'dry-run': { type: 'boolean', default: false },
      promote: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
    },
    allowPositionals: true,
  });
  const [projection, ...more] = positionals;
  if (projection === undefined) throw new UsageError('the name of a projection is needed');
  if (more[0] !== undefined) throw new UsageError(`"${more[0]}" is one argument too many`);
  if (values['dry-run'] && values.promote) {
    throw new UsageError('--dry-run throws away what it builds: there is nothing to promote');
  }
  const json = values.json || !context.isTerminal;
  const report = new ProgressReport(projection, context, json);
  try {
    await (values['dry-run']
      ? tryOut(projection, context, report, json)
      : build(projection, context, report, { json, promote: values.promote }));
  } finally {
    report.clear();
  }
  return EXIT.done;
};

async function build(
  projection: string,
  context: CliContext,
  report: ProgressReport,
  { json, promote }: { readonly json: boolean; readonly promote: boolean },
): Promise<void> {
  const way = await wayTo(projection, context);
  const built = await way.build((status) => {
    report.progress(status);
  });
  report.over(built);
  const what = `generation ${built.generation} of ${projection}`;
  switch (built.state) {
    case 'ready':
    case 'serving':
      break;
    case 'building':
      throw new CliError(`interrupted before ${what} was ready: ${way.whenInterrupted}`);
    default:
      throw new CliError(`${what} is ${built.state}${built.problem ? `: ${built.problem}` : ''}`);
  }
  if (!json) context.out(`${what} is ready: ${built.events} events\n`);
  if (!promote) return;
  const promoted = await way.promote(built.generation);
  if (json) report.over(promoted);
  else context.out(`${what} is served now\n`);
}

async function wayTo(projection: string, context: CliContext): Promise<RebuildWay> {
  const server = new PlanlogServer(context);
  if (await server.isThere()) return rebuildThroughServer(server, projection, context.signal);
  const { rebuildDirectly } = await import('./direct-rebuild.js');
  return rebuildDirectly(projection, context);
}

async function tryOut(
  projection: string,
  context: CliContext,
  report: ProgressReport,
  json: boolean,
): Promise<void> {
  const { dryRun } = await import('./dry-run.js');
  const { state, events, rows, problem } = await dryRun(projection, context, (status) => {
    report.progress(status);
  });
  report.clear();
  const made = { projection, dryRun: true, state, events, rows, problem };
  if (json) context.out(`${JSON.stringify(made)}\n`);
  if (state === 'building') throw new CliError('interrupted: what was built is thrown away');
  if (state !== 'ready') throw new CliError(`a rebuild of ${projection} would fail: ${problem}`);
  if (!json) {
    context.out(`a rebuild of ${projection} would fold ${events} events into ${rows} rows\n`);
  }
}
