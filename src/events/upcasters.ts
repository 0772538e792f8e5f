/**
 * Raises events of older schema versions, one step at a time. The map names, for a type and
 * the version it was stored in, the pure function that makes the next version of its data.
 */

/** From one version's data to the next one's. Total: what it does not know it passes on. */
export type Upcaster = (data: unknown) => unknown;

/** Type, then the version the upcaster starts from. */
export type Upcasters = Readonly<Record<string, Readonly<Record<number, Upcaster>>>>;

/** Nothing yet: every stored event is of version 1. */
export const sessionUpcasters: Upcasters = {};

/**
 * Applies every upcaster from `version` upward until none is left.
 *
 * @param version the schema version the event was stored in
 */
export function upcast(
  upcasters: Upcasters,
  type: string,
  version: number,
  data: unknown,
): unknown {
  const steps = Object.hasOwn(upcasters, type) ? upcasters[type] : undefined;
  if (steps === undefined) return data;
  let raised = data;
  for (let from = version; steps[from] !== undefined; from += 1) raised = steps[from]?.(raised);
  return raised;
}
