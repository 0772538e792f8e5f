/** Finds the projections and reactions that the modules of a Nest application provide. */
import type { DiscoveryService } from '@nestjs/core';
import { isProjection, type Projection } from '../projections/runtime/define-projection.js';
import { isReaction, type Reaction } from '../projections/runtime/define-reaction.js';
import type { ProjectionHost } from '../projections/runtime/projection-host.js';

/**
 * Adds to the host what providers hold, in the order of the modules. The same object provided
 * twice, or added by hand before, is one. To be called when all providers are made: those that
 * are made for each request are not there, so that they are not seen.
 *
 * @throws {ProjectionNameTakenError} two of them have one name
 * @throws {TypeError} one has the name of one that was added by hand
 */
export function addDiscovered(discovery: DiscoveryService, host: ProjectionHost): void {
  const places = new Map<string, Place>();
  for (const { instance, token, host: module } of discovery.getProviders()) {
    const definition: unknown = instance;
    if (!isProjection(definition) && !isReaction(definition)) continue;
    const { name } = definition;
    const place = { definition, text: `${module?.name ?? 'a module'} (${nameOf(token)})` };
    const first = places.get(name);
    if (first && first.definition !== definition) {
      throw new ProjectionNameTakenError(name, first.text, place.text);
    }
    places.set(name, place);
    if (host.has(definition)) continue;
    if (isProjection(definition)) host.project(definition);
    else host.react(definition);
  }
}

interface Place {
  readonly definition: Projection<unknown> | Reaction;
  /** Where it is provided, for people. */
  readonly text: string;
}

/** What a provider is injected by. */
function nameOf(token: string | symbol | { readonly name: string }): string {
  if (typeof token === 'string') return `'${token}'`;
  return typeof token === 'symbol' ? token.toString() : token.name;
}

/** Rows and checkpoints are kept under the name: two of one name would share them. */
export class ProjectionNameTakenError extends Error {
  readonly code = 'projection_name_taken';
  override readonly name = 'ProjectionNameTakenError';

  /**
   * @param first where the one is provided: the module and the provider
   * @param second where the other is
   */
  constructor(
    readonly taken: string,
    first: string,
    second: string,
  ) {
    super(
      `two projections or reactions are called ${taken}: one is provided by ${first}, ` +
        `the other by ${second}. Rename one of the two`,
    );
  }
}
