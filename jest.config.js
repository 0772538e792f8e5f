/**
 * Tests run on the compiled JavaScript, the very files that ship: worker threads and
 * spawned servers need them on disk, and no transform can differ from the build.
 */
export default {
  rootDir: '.',
  roots: ['<rootDir>/dist/test'],
  testMatch: ['**/*.test.js'],
  testEnvironment: 'node',
  transform: {},
  setupFiles: ['reflect-metadata'],
  testTimeout: 20_000,
  workerIdleMemoryLimit: '700MB',
};
