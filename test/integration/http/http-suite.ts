/** The test files that run on every log, the very same ones, by their names in this folder. */
export const HTTP_SUITE = [
  'session-life',
  'live-list',
  'checklist-reports',
  'history-server',
  'overview',
  'stop',
] as const;

/** Registers every test of the suite in the file that runs. */
export async function registerHttpSuite(): Promise<void> {
  for (const name of HTTP_SUITE) await import(`./${name}.test.js`);
}
