import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FakeClock, flushTasks } from '../testing/fake-clock.ts';
import type { IntervalLimits } from './minimum-interval.ts';
import { WorkQueue } from './work-queue.ts';

/** What must be true of any queue: which keys are owed a reconcile, and which are worked on. */
interface Model {
  readonly owed: Set<string>;
  readonly later: Set<string>;
  readonly working: Set<string>;
}

interface Real {
  readonly clock: FakeClock;
  readonly queue: WorkQueue;
  readonly working: Set<string>;
  readonly keysPerLane: number;
}

type Command = fc.AsyncCommand<Model, Real>;

const laneOf = (key: string): string | undefined => (key.startsWith('x') ? 'x' : undefined);

async function takeOne(real: Real): Promise<string | undefined> {
  const stop = new AbortController();
  const taking = real.queue.take(stop.signal);
  await flushTasks();
  stop.abort();
  return taking;
}

function began(model: Model, real: Real, key: string): void {
  // Never the same key twice at the same time, never too many of one lane, never a reconcile that nobody asked for.
  expect(real.working).not.toContain(key);
  const lane = laneOf(key);
  const ofLane = [...real.working].filter((each) => lane !== undefined && laneOf(each) === lane);
  expect(ofLane.length).toBeLessThan(real.keysPerLane);
  expect(model.owed.has(key) || model.later.has(key)).toBe(true);
  real.working.add(key);
  model.working.add(key);
  model.owed.delete(key);
  model.later.delete(key);
}

function command(name: string, run: (model: Model, real: Real) => Promise<void> | void): Command {
  return { check: () => true, run: async (model, real) => run(model, real), toString: () => name };
}

const keys = fc.constantFrom('a', 'b', 'x1', 'x2', 'x3');
const commands = [
  fc.tuple(keys, fc.constantFrom(-100, 0, 5), fc.boolean()).map(([key, priority, urgent]) =>
    command(`add ${key} at ${priority}${urgent ? ', urgent' : ''}`, (model, real) => {
      real.queue.add(key, { priority, urgent });
      model.owed.add(key);
    }),
  ),
  fc.tuple(keys, fc.integer({ min: -1, max: 100 })).map(([key, wait]) =>
    command(`add ${key} after ${wait}`, (model, real) => {
      real.queue.addAfter(key, wait);
      model.later.add(key);
    }),
  ),
  keys.map((key) =>
    command(`add ${key} rate limited`, (model, real) => {
      real.queue.addAfter(key, real.queue.nextBackoff(key));
      model.later.add(key);
    }),
  ),
  keys.map((key) => command(`forget ${key}`, (_, real) => real.queue.forget(key))),
  fc
    .integer({ min: 0, max: 120 })
    .map((wait) => command(`wait ${wait}`, (_, real) => real.clock.advance(wait))),
  fc.constant(
    command('take', async (model, real) => {
      const key = await takeOne(real);
      if (key !== undefined) began(model, real, key);
    }),
  ),
  fc.tuple(keys, fc.integer({ min: 0, max: 3 }), fc.boolean()).map(([key, costMs, failed]) =>
    command(`finish ${key}, which cost ${costMs}${failed ? ' and failed' : ''}`, (model, real) => {
      if (!real.working.delete(key)) return;
      model.working.delete(key);
      real.queue.done(key, { costMs, retryMs: failed ? 5 : undefined });
    }),
  ),
];

/** Finishes everything, lets all time pass, and works until nothing is left. */
async function runDry(model: Model, real: Real): Promise<void> {
  for (let round = 0; round < 60; round++) {
    for (const key of real.working) real.queue.done(key);
    real.working.clear();
    await real.clock.advance(10_000);
    const key = await takeOne(real);
    if (key === undefined) return;
    began(model, real, key);
  }
  expect.unreachable('the queue never becomes empty');
}

test('no key is lost, none is worked on twice at the same time, none without being asked for', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.commands(commands, { maxCommands: 60 }),
      fc.constantFrom<IntervalLimits>(
        { factor: 0, maxMs: 0 },
        { factor: 1, maxMs: 50 },
        { factor: 3, maxMs: 1000 },
        { minMs: 30, factor: 300, maxMs: 500, maxRetryMs: 20 },
      ),
      fc.integer({ min: 1, max: 2 }),
      async (run, minimumInterval, keysPerLane) => {
        const clock = new FakeClock();
        const queue = new WorkQueue({
          name: 'model',
          clock,
          laneOf,
          keysPerLane,
          minimumInterval,
          backoff: { baseMs: 5, maxMs: 100 },
        });
        const real: Real = { clock, queue, working: new Set(), keysPerLane };
        const model: Model = { owed: new Set(), later: new Set(), working: new Set() };
        await fc.asyncModelRun(() => ({ model, real }), run);
        await runDry(model, real);
        // Whatever was asked for has had a reconcile that began after the call.
        expect([...model.owed, ...model.later]).toEqual([]);
        expect(queue.length).toBe(0);
        expect(clock.pending).toBe(0);
      },
    ),
    { numRuns: 200 },
  );
});

test('a queue that is shut down in any state ends with its last reconcile', async () => {
  await fc.assert(
    fc.asyncProperty(fc.commands(commands, { maxCommands: 30 }), async (run) => {
      const clock = new FakeClock();
      const queue = new WorkQueue({ name: 'model', clock, laneOf });
      const real: Real = { clock, queue, working: new Set(), keysPerLane: 1 };
      const model: Model = { owed: new Set(), later: new Set(), working: new Set() };
      await fc.asyncModelRun(() => ({ model, real }), run);
      const ended = queue.shutDown();
      await runDry(model, real);
      await ended;
      expect(await queue.take()).toBeUndefined();
    }),
    { numRuns: 200 },
  );
});
