/** A reader was asked for of a projection that nothing runs: it would never have an answer. */
export class ProjectionNotProvidedError extends Error {
  readonly code = 'projection_not_provided';
  override readonly name = 'ProjectionNotProvidedError';

  /** @param otherRuns something else of that name runs */
  constructor(
    readonly projection: string,
    otherRuns: boolean,
  ) {
    super(
      `a reader of projection ${projection} was asked for, but nothing runs that projection: ` +
        (otherRuns
          ? 'what runs under that name is another object. Ask for the reader with the very ' +
            'object that is provided, not with a copy, or rename one of the two'
          : "list what defineProjection returned in a module's providers, " +
            `{ provide: '${projection}', useValue: … }, or add it with ProjectionHost.project(). ` +
            'A copy of it, and a request-scoped or transient provider, do not count'),
    );
  }
}
