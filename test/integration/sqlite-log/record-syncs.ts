/**
 * Loaded before a program (`node --import`): writes each sync and rename that goes through
 * `node:fs` to the file that PLANLOG_TEST_SYNCS names, one a line, in order.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const { appendFileSync, fsyncSync, openSync, renameSync } = fs;
const record = process.env['PLANLOG_TEST_SYNCS'] ?? '';
const paths = new Map<number, string>();

fs.openSync = (path, ...rest) => {
  const fd = openSync(path, ...rest);
  paths.set(fd, String(path));
  return fd;
};
fs.fsyncSync = (fd) => {
  fsyncSync(fd);
  appendFileSync(record, `sync ${paths.get(fd) ?? '?'}\n`);
};
fs.renameSync = (from, to) => {
  renameSync(from, to);
  appendFileSync(record, `rename ${String(from)} ${String(to)}\n`);
};
// Named imports of node:fs see the above, too.
syncBuiltinESMExports();
