/** States are kept within both bounds, also when they grow while they are kept. */
import { CommandRuntime } from '../../../src/commands/runtime/command-runtime.js';
import { LoadedStream } from '../../../src/commands/runtime/loaded-stream.js';
import { StateCache } from '../../../src/commands/runtime/state-cache.js';
import { MemoryEventLog } from '../../../src/testing/memory-event-log.js';
import { counterFold, countOn } from './counter.js';
import { FaultyLog } from './faulty-log.js';

const LARGE = { maxStates: 1_000, maxBytes: 1_000_000_000 };

/** A state that remembers so many commands. */
function stateOf(commands: number): LoadedStream<number, 'counted'> {
  const loaded = new LoadedStream(counterFold, 0);
  mention(loaded, commands);
  return loaded;
}

function mention(loaded: LoadedStream<number, 'counted'>, commands: number): void {
  for (let i = 0; i < commands; i += 1) loaded.mention(`k${i}`, 0n);
}

function keptOf(cache: StateCache<number, 'counted'>, streams: number): string[] {
  const names = Array.from({ length: streams }, (_, at) => `s${at}`);
  return names.filter((name) => cache.get(name) !== undefined);
}

it('keeps as many bytes as it may, the latest first', () => {
  const size = stateOf(10).size;
  const cache = new StateCache<number, 'counted'>({ ...LARGE, maxBytes: 5 * size });
  for (let at = 0; at < 50; at += 1) cache.put(`s${at}`, stateOf(10));
  expect(keptOf(cache, 50)).toEqual(['s45', 's46', 's47', 's48', 's49']);
});

it('keeps as many states as it may', () => {
  const cache = new StateCache<number, 'counted'>({ ...LARGE, maxStates: 3 });
  for (let at = 0; at < 10; at += 1) cache.put(`s${at}`, stateOf(0));
  expect(keptOf(cache, 10)).toEqual(['s7', 's8', 's9']);
});

it('measures a state again each time it is put: it has grown', () => {
  const small = stateOf(0);
  const cache = new StateCache<number, 'counted'>({ ...LARGE, maxBytes: 10 * small.size });
  for (let at = 0; at < 9; at += 1) cache.put(`s${at}`, stateOf(0));
  cache.put('s9', small);
  expect(keptOf(cache, 10)).toHaveLength(10);
  mention(small, 20);
  cache.put('s9', small);
  expect(keptOf(cache, 10)).toEqual(['s4', 's5', 's6', 's7', 's8', 's9']);
  mention(small, 1_000);
  cache.put('s9', small);
  expect(keptOf(cache, 10)).not.toContain('s9');
});

it('a turn of very many commands is loaded, once its state is larger than the bound', async () => {
  const log = new FaultyLog(new MemoryEventLog());
  const runtime = new CommandRuntime(log);
  const cache = new StateCache<number, 'counted'>({ ...LARGE, maxBytes: 10_000 });
  const loadsAfter = async (from: number, to: number): Promise<number> => {
    log.eventsRead = 0;
    for (let i = from; i < to; i += 1) await runtime.transact(countOn(log, 's', `k${i}`, cache));
    return log.eventsRead;
  };
  expect(await loadsAfter(0, 40)).toBe(0);
  expect(await loadsAfter(40, 60)).toBeGreaterThan(0);
  await log.close();
});
