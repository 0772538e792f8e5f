/** Killed at any moment, rows and checkpoint agree: nothing twice, nothing missing (faults.md C 29, C 50). */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sqliteReadModels } from '../../../src/projections/read-model/sqlite/sqlite-read-models.js';
import { counter, KEYS } from './project-and-die.js';

const program = fileURLToPath(new URL('./project-and-die.js', import.meta.url));

it('survives kill -9, again and again', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'planlog-kill-'));
  let before = 0n;
  for (let round = 0; round < 8; round += 1) {
    const child = spawn(process.execPath, [program, directory], {
      env: { ...process.env, PROJECT_AND_DIE: 'yes' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exited = once(child, 'exit');
    await once(child.stdout, 'data');
    // Some way into the work: a moment that differs from round to round.
    await new Promise((resolve) => setTimeout(resolve, round * 7));
    child.kill('SIGKILL');
    await exited;
    const rows = await sqliteReadModels(directory).open(counter, 1);
    const at = (await rows.checkpoint())?.position.commit ?? 0n;
    let counted = 0;
    for (let key = 0; key < KEYS; key += 1) {
      counted += (await rows.get(`made-${key}`))?.row ?? 0;
    }
    await rows.close();
    expect(BigInt(counted)).toBe(at);
    expect(at).toBeGreaterThan(before);
    before = at;
  }
  rmSync(directory, { recursive: true, force: true });
}, 60_000);
