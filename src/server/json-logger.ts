/** Nest's logger: one JSON object a line on stderr, so that no logged text can forge a line. */
import type { LoggerService } from '@nestjs/common';
import { LOG_LEVELS, type LogLevel } from './config.js';

/** Nest speaks of each route and module it sets up; that is for those who debug. */
const NEST_SETUP = new Set([
  'InstanceLoader',
  'NestApplication',
  'NestFactory',
  'RouterExplorer',
  'RoutesResolver',
]);

export class JsonLogger implements LoggerService {
  private readonly limit: number;

  /** @param write takes one line; stderr by default */
  constructor(
    level: LogLevel,
    private readonly write: (line: string) => void = (line) => process.stderr.write(line),
  ) {
    this.limit = LOG_LEVELS.indexOf(level);
  }

  log(message: unknown, ...rest: unknown[]): void {
    const context = rest.at(-1);
    const setup = typeof context === 'string' && NEST_SETUP.has(context);
    this.line(setup ? 'debug' : 'info', message, rest);
  }

  error(message: unknown, ...rest: unknown[]): void {
    this.line('error', message, rest);
  }

  fatal(message: unknown, ...rest: unknown[]): void {
    this.line('error', message, rest);
  }

  warn(message: unknown, ...rest: unknown[]): void {
    this.line('warn', message, rest);
  }

  debug(message: unknown, ...rest: unknown[]): void {
    this.line('debug', message, rest);
  }

  verbose(message: unknown, ...rest: unknown[]): void {
    this.line('debug', message, rest);
  }

  /** Nest hands over what is to be said, then perhaps a stack, then the context. */
  private line(level: LogLevel, message: unknown, rest: readonly unknown[]): void {
    if (LOG_LEVELS.indexOf(level) > this.limit) return;
    const context = rest.at(-1);
    const stack = message instanceof Error ? message.stack : rest.length > 1 ? rest[0] : undefined;
    const entry = {
      time: new Date().toISOString(),
      level,
      context,
      message: textOf(message),
      stack,
    };
    this.write(`${JSON.stringify(entry)}\n`);
  }
}

function textOf(message: unknown): string {
  if (typeof message === 'string') return message;
  if (message instanceof Error) return message.message;
  return JSON.stringify(message, (_key, value: unknown) =>
    typeof value === 'bigint' ? value.toString() : value,
  );
}
