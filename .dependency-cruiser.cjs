/**
 * Imports run one way (design, section 6): api → commands, projections → events; the
 * `runtime/` folders know nothing of todos; only a log's own folder knows its store.
 */
module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'events-know-nothing-above',
      severity: 'error',
      from: { path: '^src/events/' },
      to: { path: '^src/', pathNot: '^src/events/' },
    },
    {
      name: 'the-log-knows-no-domain',
      comment: 'The port and its adapters are generic.',
      severity: 'error',
      from: { path: '^src/events/log/' },
      to: { path: '^src/', pathNot: '^src/events/log/' },
    },
    {
      name: 'only-the-log-imports-a-store',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(events/log/sqlite|projections/read-model/sqlite)/' },
      to: { path: '@photostructure/sqlite' },
    },
    {
      name: 'only-the-esdb-log-and-its-stand-in-speak-grpc',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(events/log/esdb|testing)/' },
      to: { path: '@eventstore/db-client|@grpc/grpc-js|google-protobuf' },
    },
    {
      name: 'store-adapters-are-hidden',
      comment: 'The composition root chooses an adapter; nothing else names one.',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot: '^src/(events/log/(sqlite|esdb)|projections/read-model/sqlite)/|^src/server/',
      },
      to: { path: '^src/(events/log/(sqlite|esdb)|projections/read-model/sqlite)/' },
    },
    {
      name: 'commands-know-events-only',
      severity: 'error',
      from: { path: '^src/commands/' },
      to: { path: '^src/', pathNot: '^src/(commands|events)/' },
    },
    {
      name: 'projections-know-events-only',
      severity: 'error',
      from: { path: '^src/projections/' },
      to: { path: '^src/', pathNot: '^src/(projections|events)/' },
    },
    {
      name: 'runtime-is-generic',
      comment: 'runtime/ and the read-model port may use the log port, never the todo domain.',
      severity: 'error',
      from: { path: '^src/(commands|projections)/(runtime|read-model)/' },
      to: {
        path: '^src/',
        pathNot: '^src/(commands/runtime|projections/(runtime|read-model)|events/log)/',
      },
    },
    {
      name: 'event-sourcing-is-generic',
      severity: 'error',
      from: { path: '^src/event-sourcing/' },
      to: {
        path: '^src/',
        pathNot:
          '^src/(event-sourcing|commands/runtime|projections/(runtime|read-model)|events/log)/',
      },
    },
    {
      name: 'the-api-knows-no-server',
      severity: 'error',
      from: { path: '^src/(api|todos)/' },
      to: { path: '^src/(server|cli)/' },
    },
    {
      name: 'no-tests-in-sources',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^test/' },
    },
    {
      name: 'no-dev-dependencies-in-sources',
      severity: 'error',
      from: { path: '^src/' },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'types'] },
  },
};
