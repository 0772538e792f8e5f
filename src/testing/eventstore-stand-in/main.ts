/**
 * The stand-in as a process of its own:
 *
 *   node …/eventstore-stand-in/main.js --port 0
 *
 * prints its connection string as the first line and runs until SIGTERM or SIGINT. Where its
 * standard input is a pipe or a terminal it obeys lines from there (control.ts), and ends when
 * that ends: no stand-in outlives the process that started it.
 */
import { fstatSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { control } from './control.js';
import { EventStoreStandIn } from './stand-in.js';

const { values } = parseArgs({ options: { port: { type: 'string', default: '0' } } });
const port = Number(values.port);
if (!Number.isInteger(port) || port < 0 || port > 65_535) {
  process.stderr.write(`--port must be a port, 0 for any that is free: ${values.port}\n`);
  process.exit(2);
}

const standIn = await EventStoreStandIn.start({ port });
process.stdout.write(`${standIn.connectionString}\n`);

let closing = false;
async function close(): Promise<void> {
  if (closing) return;
  closing = true;
  await standIn.stop('shutdown');
  process.exit(0);
}
process.once('SIGTERM', () => void close());
process.once('SIGINT', () => void close());

const input = fstatSync(0);
if (input.isFIFO() || input.isSocket() || process.stdin.isTTY) {
  // One order at a time: a restart is over before the next line is read.
  for await (const line of createInterface({ input: process.stdin })) {
    if (line.trim() !== '') process.stdout.write(`${await control(standIn, line)}\n`);
  }
  await close();
}
