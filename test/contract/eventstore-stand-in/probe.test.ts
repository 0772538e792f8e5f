/**
 * The stand-in answers as a real server does, in all that the probe asks.
 */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { EventStoreStandIn } from '../../../src/testing/eventstore-stand-in/stand-in.js';

const HERE = join(process.cwd(), 'test/contract/eventstore-stand-in');

describe('the probe of a real server', () => {
  test('gets the same answers from the stand-in, word for word', async () => {
    const standIn = await EventStoreStandIn.start();
    try {
      const probe = [join(HERE, 'probe.mjs'), standIn.connectionString];
      const { stdout } = await promisify(execFile)(process.execPath, probe);
      expect(stdout).toBe(await readFile(join(HERE, 'expected.json'), 'utf8'));
    } finally {
      await standIn.close();
    }
  }, 120_000);
});
