/** Readiness: true for both ways, on fresh evidence, tried where there is none. */
import { ReadinessWatch } from '../../../../../src/events/log/esdb/readiness.js';
import { ClockWatch } from '../../../../../src/events/log/esdb/clock-watch.js';

describe('readiness', () => {
  let now = 0;
  let tried: string[] = [];
  const works = { append: true, subscribe: true };
  const watch = (): ReadinessWatch =>
    new ReadinessWatch(
      {
        append: () => probe('append'),
        subscribe: () => probe('subscribe'),
      },
      () => now,
    );
  const probe = (path: 'append' | 'subscribe'): Promise<void> => {
    tried.push(path);
    return works[path] ? Promise.resolve() : Promise.reject(new Error(`${path} is down`));
  };
  beforeEach(() => {
    now = 0;
    tried = [];
    works.append = works.subscribe = true;
  });

  it('tries both at first, and not again while the evidence is fresh', async () => {
    const readiness = watch();
    expect((await readiness.check()).ready).toBe(true);
    expect((await readiness.check()).ready).toBe(true);
    expect(tried).toEqual(['append', 'subscribe']);
    now = 6_000;
    await readiness.check();
    expect(tried).toHaveLength(4);
  });

  it.each(['append', 'subscribe'] as const)('needs %s', async (path) => {
    works[path] = false;
    const readiness = await watch().check();
    expect(readiness).toMatchObject({
      ready: false,
      [path]: { ready: false, problem: `${path} is down` },
    });
  });

  it('takes what was used as evidence, and tries again soon after a failure', async () => {
    const readiness = watch();
    readiness.note('append');
    readiness.note('subscribe', new Error('lost'));
    expect(await readiness.check()).toMatchObject({ ready: false, subscribe: { problem: 'lost' } });
    expect(tried).toEqual([]);
    now = 600;
    expect((await readiness.check()).ready).toBe(true);
    expect(tried).toEqual(['subscribe']);
  });

  it('tries once for all who ask at the same time', async () => {
    const readiness = watch();
    await Promise.all([readiness.check(), readiness.check(), readiness.check()]);
    expect(tried).toEqual(['append', 'subscribe']);
  });
});

describe('a clock that is behind', () => {
  it('is said once, and doubted again after a minute', () => {
    let now = 0;
    let said = 0;
    const clock = new ClockWatch(
      () => (said += 1),
      () => now,
    );
    expect(clock.isBehind).toBe(false);
    clock.behind();
    clock.behind();
    expect([clock.isBehind, said]).toEqual([true, 1]);
    now = 60_000;
    expect(clock.isBehind).toBe(false);
    clock.behind();
    expect(said).toBe(2);
  });
});
