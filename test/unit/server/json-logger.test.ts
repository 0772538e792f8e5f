/** The log: one JSON object a line, by level. */
import { JsonLogger } from '../../../src/server/json-logger.js';
import type { LogLevel } from '../../../src/server/config.js';

function logAt(level: LogLevel): { logger: JsonLogger; lines: string[] } {
  const lines: string[] = [];
  return { logger: new JsonLogger(level, (line) => lines.push(line)), lines };
}

function writeAll(logger: JsonLogger): void {
  logger.fatal('fatal', 'Test');
  logger.error('error', 'Test');
  logger.warn('warn', 'Test');
  logger.log('info', 'Test');
  logger.debug('debug', 'Test');
  logger.verbose('verbose', 'Test');
}

it.each([
  ['silent', 0],
  ['error', 2],
  ['warn', 3],
  ['info', 4],
  ['debug', 6],
] as const)('%s writes %i of them', (level, count) => {
  const { logger, lines } = logAt(level);
  writeAll(logger);
  expect(lines).toHaveLength(count);
});

it('keeps Nest quiet about its set-up, but for those who debug', () => {
  const info = logAt('info');
  info.logger.log('Mapped {/health, GET} route', 'RouterExplorer');
  expect(info.lines).toHaveLength(0);
  const debug = logAt('debug');
  debug.logger.log('Mapped {/health, GET} route', 'RouterExplorer');
  expect(debug.lines).toHaveLength(1);
});

it('writes one line, whatever the text holds', () => {
  const { logger, lines } = logAt('info');
  logger.warn('two\nlines\u001b[31m', 'Test');
  expect(lines[0]?.indexOf('\n')).toBe((lines[0]?.length ?? 0) - 1);
  expect(lines[0]).not.toContain('\u001b');
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    level: 'warn',
    context: 'Test',
    message: 'two\nlines\u001b[31m',
  });
});

it('writes errors with their stack, and bigints as text', () => {
  const { logger, lines } = logAt('info');
  logger.error(new Error('broken'), 'Test');
  logger.error('broken', 'at here', 'Test');
  logger.log({ revision: 1n }, 'Test');
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    message: 'broken',
    stack: expect.stringContaining('Error: broken') as string,
  });
  expect(JSON.parse(lines[1] ?? '')).toMatchObject({ message: 'broken', stack: 'at here' });
  expect(JSON.parse(lines[2] ?? '')).toMatchObject({ message: '{"revision":"1"}' });
});
