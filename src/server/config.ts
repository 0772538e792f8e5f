/**
 * The stock server's configuration: its environment, read once, through one schema. A bad value
 * stops the start with the variable's name and what is allowed. Empty is the same as not set.
 */
import { z } from 'zod';
import { todoPolicySchema, type TodoPolicy } from '../commands/policy.js';
import { authVariables, readAuth, SECRET_VARIABLES, type AuthConfig } from './auth-config.js';
import { isLoopbackHost } from './loopback.js';

/** How much the server writes to its log. */
export const LOG_LEVELS = ['silent', 'error', 'warn', 'info', 'debug'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Where EventStoreDB is. */
export interface EventStoreConfig {
  /** Holds a password, perhaps: it goes into no log. */
  readonly url: string;
  /** May the server compress its responses? */
  readonly compression: 'off' | 'gzip';
}

/** Everything the stock server is told from outside. */
export interface PlanlogConfig {
  readonly host: string;
  /** 0 picks one. */
  readonly port: number;
  readonly dataDir: string;
  /** EventStoreDB in place of the embedded log. */
  readonly eventStore: EventStoreConfig | undefined;
  /** Undefined: no token is asked for, and only this machine is answered. */
  readonly auth: AuthConfig | undefined;
  readonly policy: TodoPolicy;
  readonly maxBodyBytes: number;
  readonly logLevel: LogLevel;
}

/** The environment cannot be used; the message names every variable at fault. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  constructor(readonly faults: readonly string[]) {
    super(faults.join('; '));
  }
}

/** Known to the contract, but this version does not carry them out: never silently ignored. */
const NOT_YET = ['DATABASE_URL', 'DATABASE_LISTEN_URL'] as const;

/** A body holds a list as its client wrote it, which may be longer than as it is stored. */
const BODY_ENVELOPE_BYTES = 4_096;

const LOOPBACK_RULE =
  'a loopback address (127.0.0.1, ::1 or localhost), because no auth is configured and ' +
  'everyone who reaches the server may do everything; set PLANLOG_JWKS_URL or PLANLOG_JWT_SECRET';

const environment = z.object({
  HOST: z.string().default('127.0.0.1'),
  PORT: wholeNumber(0, 65_535).default(3_000),
  PLANLOG_DATA_DIR: z.string().default('./data'),
  EVENTSTORE_URL: z
    .string()
    .regex(/^esdb(\+discover)?:\/\/./, { error: 'esdb://… or esdb+discover://…' })
    .optional(),
  EVENTSTORE_COMPRESSION: z.enum(['off', 'gzip'], { error: 'off or gzip' }).default('off'),
  PLANLOG_ALLOW_PARALLEL_IN_PROGRESS: z
    .enum(['true', 'false'], { error: 'true or false' })
    .transform((text) => text === 'true')
    .default(false),
  PLANLOG_MAX_ITEMS: wholeNumber(...rangeOf('maxItems')).optional(),
  PLANLOG_MAX_CONTENT_LENGTH: wholeNumber(...rangeOf('maxContentLength')).optional(),
  PLANLOG_MAX_LIST_BYTES: wholeNumber(...rangeOf('maxListBytes')).optional(),
  PLANLOG_MAX_BODY_BYTES: wholeNumber(16_384, 67_108_864).default(1_048_576),
  PLANLOG_LOG_LEVEL: z
    .enum(LOG_LEVELS, { error: `one of ${LOG_LEVELS.join(', ')}` })
    .default('info'),
  ...authVariables,
});

/**
 * Reads the configuration.
 *
 * @param env `process.env`, or something like it
 * @throws {ConfigError}
 */
export function readConfig(env: Readonly<Record<string, string | undefined>>): PlanlogConfig {
  const set = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const faults: string[] = NOT_YET.filter((name) => set[name] !== undefined).map(
    (name) => `${name} is set, but this version does not support it yet; unset it`,
  );
  // Said also where something else is wrong with the auth that is meant.
  const open = set['PLANLOG_JWT_SECRET'] === undefined && set['PLANLOG_JWKS_URL'] === undefined;
  if (open && set['HOST'] !== undefined && !isLoopbackHost(set['HOST'])) {
    faults.unshift(`HOST is ${JSON.stringify(set['HOST'])}; allowed is ${LOOPBACK_RULE}`);
  }
  const parsed = environment.safeParse(set);
  if (!parsed.success) {
    const issues = parsed.error.issues.map(({ path, message }) => {
      const name = String(path[0]);
      // A connection string may hold a password.
      const hidden = name === 'EVENTSTORE_URL' || SECRET_VARIABLES.has(name);
      const value = hidden ? 'not usable' : JSON.stringify(set[name]);
      return `${name} is ${value}; allowed is ${message}`;
    });
    throw new ConfigError([...issues, ...faults]);
  }
  const values = parsed.data;
  const auth = readAuth(values, faults);
  const policy = todoPolicySchema.parse({
    allowParallelInProgress: values.PLANLOG_ALLOW_PARALLEL_IN_PROGRESS,
    maxItems: values.PLANLOG_MAX_ITEMS,
    maxContentLength: values.PLANLOG_MAX_CONTENT_LENGTH,
    maxListBytes: values.PLANLOG_MAX_LIST_BYTES,
  });
  const leastBody = policy.maxListBytes + BODY_ENVELOPE_BYTES;
  if (values.PLANLOG_MAX_BODY_BYTES < leastBody) {
    faults.push(
      `PLANLOG_MAX_BODY_BYTES is "${values.PLANLOG_MAX_BODY_BYTES}"; allowed is at least ` +
        `${leastBody}, so that a list of PLANLOG_MAX_LIST_BYTES fits`,
    );
  }
  if (faults.length > 0) throw new ConfigError(faults);
  return {
    host: values.HOST,
    port: values.PORT,
    dataDir: values.PLANLOG_DATA_DIR,
    eventStore:
      values.EVENTSTORE_URL === undefined
        ? undefined
        : { url: values.EVENTSTORE_URL, compression: values.EVENTSTORE_COMPRESSION },
    auth,
    policy,
    maxBodyBytes: values.PLANLOG_MAX_BODY_BYTES,
    logLevel: values.PLANLOG_LOG_LEVEL,
  };
}

function wholeNumber(least: number, most: number) {
  const rule = `a whole number from ${least} to ${most}`;
  return z
    .string()
    .regex(/^\d{1,9}$/, { error: rule })
    .transform(Number)
    .pipe(z.int().min(least, { error: rule }).max(most, { error: rule }));
}

/** The policy's own limits, so that they stand in one place. */
function rangeOf(limit: 'maxItems' | 'maxContentLength' | 'maxListBytes'): [number, number] {
  const { minValue, maxValue } = todoPolicySchema.shape[limit].unwrap();
  return [minValue ?? 0, maxValue ?? Number.MAX_SAFE_INTEGER];
}
