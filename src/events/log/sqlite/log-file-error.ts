/**
 * Why a log's file was refused at open. A closed set: a starting server prints the message,
 * which says what to do, and leaves the file exactly as it was.
 */
export type LogFileErrorCode =
  'log_in_use' | 'log_file_newer' | 'log_file_damaged' | 'log_file_foreign' | 'log_file_unusable';

/** The log cannot be opened. The file was not changed. */
export class LogFileError extends Error {
  override readonly name = 'LogFileError';

  constructor(
    readonly code: LogFileErrorCode,
    /** The directory, or the file in it, that was refused. */
    readonly path: string,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

export function inUse(directory: string): LogFileError {
  return new LogFileError(
    'log_in_use',
    directory,
    `the log in ${directory} is open in another process (or twice in this one); ` +
      'stop that one, or choose another directory',
  );
}

export function newer(path: string, found: number, known: number): LogFileError {
  return new LogFileError(
    'log_file_newer',
    path,
    `${path} has format ${found}, this release knows ${known}; run the newer release that wrote it`,
  );
}

export function damaged(path: string, what: string, cause?: unknown): LogFileError {
  return new LogFileError(
    'log_file_damaged',
    path,
    `${path} is damaged (${what}); it was left as it is: restore it from a backup, ` +
      'or move it and its -wal file away to begin an empty log',
    { cause },
  );
}

export function foreign(path: string): LogFileError {
  return new LogFileError(
    'log_file_foreign',
    path,
    `${path} is a database of another program; choose another directory for the log`,
  );
}

export function unusable(path: string, cause: unknown): LogFileError {
  const why = cause instanceof Object && 'message' in cause ? String(cause.message) : String(cause);
  return new LogFileError(
    'log_file_unusable',
    path,
    `${path} cannot be used (${why}); check that the disk has room and that this user may ` +
      'read and write it',
    { cause },
  );
}
