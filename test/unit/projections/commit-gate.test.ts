/** The gate: commits and repairs one after the other. */
import { CommitGate } from '../../../src/projections/runtime/parking/commit-gate.js';

/** A commit that ends when it is told. */
function commit(said: string[], name: string): { run: () => Promise<void>; end: () => void } {
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  return {
    run: async () => {
      said.push(`${name} begins`);
      await ended;
      said.push(`${name} ends`);
    },
    end,
  };
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
}

it('is held only when the commit in hand has ended, also badly, and lets none begin', async () => {
  const gate = new CommitGate();
  const said: string[] = [];
  const first = commit(said, 'first');
  const passing = gate.pass(async () => {
    await first.run();
    throw new Error('disk full');
  });
  const holding = gate.hold().then((release) => {
    said.push('held');
    return release;
  });
  const second = commit(said, 'second');
  second.end();
  await settle();
  expect(said).toEqual(['first begins']);
  first.end();
  await expect(passing).rejects.toThrow('disk full');
  const release = await holding;
  const later = gate.pass(second.run);
  await settle();
  expect(said).toEqual(['first begins', 'first ends', 'held']);
  release();
  await later;
  expect(said.slice(3)).toEqual(['second begins', 'second ends']);
});

it('is held by one at a time, and a release that comes twice frees nobody else', async () => {
  const gate = new CommitGate();
  const release = await gate.hold();
  let second: (() => void) | undefined;
  const waiting = gate.hold().then((free) => (second = free));
  await settle();
  expect(second).toBeUndefined();
  release();
  await waiting;
  release();
  let passed = false;
  const passing = gate.pass(() => Promise.resolve((passed = true)));
  await settle();
  expect(passed).toBe(false);
  second?.();
  await passing;
});
