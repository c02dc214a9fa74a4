import { describe, expect, test } from 'vitest';
import { ApiError } from '../client/api-error.ts';
import { FakeClock, flushTasks } from '../testing/fake-clock.ts';
import { silentLogger, type Logger } from '../telemetry/logger.ts';
import { createMetrics } from '../telemetry/metrics.ts';
import { startReconciler, type Reconciler, type ReconcilerOptions } from './reconciler.ts';
import type { IntervalLimits } from './minimum-interval.ts';
import { WorkQueue } from './work-queue.ts';

interface Rig {
  readonly clock: FakeClock;
  readonly queue: WorkQueue;
  readonly passes: string[];
  readonly reconciler: Reconciler;
  readonly stop: () => void;
  readonly metric: (line: string) => Promise<boolean>;
  readonly logged: object[];
}

function rig(
  reconcile: ReconcilerOptions['reconcile'],
  workers = 1,
  minimumInterval: IntervalLimits = { factor: 0, maxMs: 0 },
): Rig {
  const clock = new FakeClock();
  const metrics = createMetrics({ processMetrics: false });
  const queue = new WorkQueue({ name: 'pools', clock, metrics, minimumInterval });
  const passes: string[] = [];
  const logged: object[] = [];
  const logger: Logger = { ...silentLogger, error: (fields, message) => logged.push({ ...fields, message }) };
  const abort = new AbortController();
  const reconciler = startReconciler(
    {
      name: 'pools',
      queue,
      clock,
      logger,
      metrics,
      workers,
      reconcile: (key, signal) => {
        passes.push(key);
        return reconcile(key, signal);
      },
    },
    abort.signal,
  );
  const metric = async (line: string): Promise<boolean> =>
    (await metrics.registry.metrics()).split('\n').includes(line);
  return { clock, queue, passes, reconciler, stop: () => abort.abort(), metric, logged };
}

describe('a reconcile', () => {
  test('that is content is not repeated', async () => {
    const { clock, queue, passes, metric } = rig(() => undefined);
    queue.add('a');
    await clock.advance(1_000_000);
    expect(passes).toEqual(['a']);
    expect(await metric('controller_runtime_reconcile_total{controller="pools",result="success"} 1')).toBe(
      true,
    );
    expect(await metric('controller_runtime_max_concurrent_reconciles{controller="pools"} 1')).toBe(true);
  });

  test('that asks for another look gets it at its time', async () => {
    const { clock, queue, passes, metric } = rig(() => ({ requeueAfter: 5000 }));
    queue.add('a');
    await clock.advance(4999);
    expect(passes).toHaveLength(1);
    await clock.advance(1);
    expect(passes).toHaveLength(2);
    expect(
      await metric('controller_runtime_reconcile_total{controller="pools",result="requeue_after"} 2'),
    ).toBe(true);
  });

  test.each([0, -5, NaN])(
    'that asks for another look after %s ms gets it with growing waits',
    async (requeueAfter) => {
      const { clock, queue, passes } = rig(() => ({ requeueAfter }));
      queue.add('a');
      await clock.advance(5 + 10 + 20 + 39);
      expect(passes).toHaveLength(4);
      await clock.advance(1);
      expect(passes).toHaveLength(5);
    },
  );

  test('that goes on at once does not wait for the back-off of what failed before it', async () => {
    let isAway = true;
    let left = 3;
    const { clock, queue, passes } = rig(() => {
      if (isAway) return { requeue: true };
      left -= 1;
      return left > 0 ? { requeueAfter: 0 } : undefined;
    });
    queue.add('a');
    await clock.advance(60_000);
    isAway = false;
    passes.length = 0;
    queue.add('a');
    await clock.advance(5 + 10);
    expect(passes).toHaveLength(3);
    expect(queue.failures('a')).toBe(0);
  });

  test('that goes on at once and fails by turns gets growing waits', async () => {
    let isEven = false;
    const { clock, queue, passes } = rig(() => {
      isEven = !isEven;
      return isEven ? { requeueAfter: 0 } : { requeue: true };
    });
    queue.add('a');
    await clock.advance(60_000);
    // Of the first of each two 5 ms, 10 ms, … up to 40.96 s, and after each of them 5 ms.
    expect(passes).toHaveLength(27);
  });

  test('that asks to be repeated is, with growing waits, and without an error', async () => {
    const { clock, queue, passes, metric } = rig(() => ({ requeue: true }));
    queue.add('a');
    await clock.advance(5 + 10 + 20 + 39);
    expect(passes).toHaveLength(4);
    expect(await metric('controller_runtime_reconcile_errors_total{controller="pools"} 0')).toBe(false);
  });

  test('that asks to be repeated waits for its back-off and not for its minimum interval', async () => {
    const minimumInterval = { factor: 1000, maxMs: 10_000, maxRetryMs: 100 };
    const { clock, queue, passes } = rig(() => ({ requeue: true, costMs: 50 }), 1, minimumInterval);
    queue.add('a');
    await clock.advance(99);
    // What comes meanwhile has another look, which is the same.
    queue.add('a');
    expect(passes).toHaveLength(1);
    await clock.advance(1);
    expect(passes).toHaveLength(2);
  });

  test('that throws is logged, counted and repeated with growing waits, until it succeeds', async () => {
    let left = 3;
    const { clock, queue, passes, metric, logged } = rig(() => {
      if (left-- > 0) throw new Error('no luck');
      return undefined;
    });
    queue.add('a');
    await clock.advance(5 + 10 + 20);
    expect(passes).toHaveLength(4);
    expect(queue.failures('a')).toBe(0);
    expect(logged).toMatchObject([
      { controller: 'pools', key: 'a', failures: 1, retryAfterMs: 5, message: 'reconcile failed' },
      { failures: 2, retryAfterMs: 10 },
      { failures: 3, retryAfterMs: 20 },
    ]);
    expect(await metric('controller_runtime_reconcile_errors_total{controller="pools"} 3')).toBe(true);
    expect(await metric('controller_runtime_reconcile_total{controller="pools",result="error"} 3')).toBe(
      true,
    );
  });

  test('that an event caused and that fails neither raises the back-off nor postpones the retry', async () => {
    const { clock, queue, passes } = rig(() => ({ requeue: true }));
    queue.add('a');
    for (let second = 0; second < 60; second += 1) {
      await clock.advance(1_000);
      queue.add('a');
    }
    await clock.advance(0);
    // As without the events: the waits of 5 ms, 10 ms, … of 13 retries are over, and the next one ends after 81.915 s.
    expect(queue.failures('a')).toBe(14);
    const { length } = passes;
    await clock.advance(21_914);
    expect(passes).toHaveLength(length);
    await clock.advance(1);
    expect(passes).toHaveLength(length + 1);
  });

  test('that fails never stops another key', async () => {
    const { clock, queue, passes } = rig(async (key) => {
      if (key === 'bad') throw new Error('always');
    });
    queue.add('bad');
    queue.add('good-1');
    queue.add('good-2');
    await clock.advance(4);
    expect(passes).toEqual(['bad', 'good-1', 'good-2']);
  });

  test('is not repeated before the server wants it', async () => {
    const busy = new ApiError({
      fate: 'refused',
      code: 429,
      reason: 'TooManyRequests',
      message: 'busy',
      attempted: 'create pods edge/a',
      retryAfterMs: 3000,
    });
    const { clock, queue, passes } = rig(async () => Promise.reject(busy));
    queue.add('a');
    await clock.advance(2999);
    expect(passes).toHaveLength(1);
    await clock.advance(1);
    expect(passes).toHaveLength(2);
  });
});

test('so many reconciles run together as there are workers, never two for one key', async () => {
  const running = new Map<string, () => void>();
  const { clock, queue, passes, metric } = rig(async (key) => {
    if (running.has(key)) throw new Error('twice at the same time');
    await new Promise<void>((resolve) => running.set(key, resolve));
    running.delete(key);
    return undefined;
  }, 3);
  for (const key of ['a', 'b', 'c', 'd']) queue.add(key);
  await clock.advance(0);
  queue.add('a');
  await clock.advance(0);
  expect([...running.keys()]).toEqual(['a', 'b', 'c']);
  expect(await metric('controller_runtime_active_workers{controller="pools"} 3')).toBe(true);
  running.get('b')?.();
  await clock.advance(0);
  expect([...running.keys()]).toEqual(['a', 'c', 'd']);
  running.get('a')?.();
  await clock.advance(0);
  expect(passes).toEqual(['a', 'b', 'c', 'd', 'a']);
});

test('on shutdown the running pass ends, the waiting ones are left, and nothing is called a failure', async () => {
  const { queue, passes, reconciler, stop, logged } = rig(
    async (_, signal) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true });
      }),
  );
  queue.add('a');
  queue.add('b');
  await flushTasks();
  stop();
  await reconciler.stopped;
  expect(passes).toEqual(['a']);
  expect(logged).toEqual([]);
});

test('a reconciler whose signal has ended already does nothing', async () => {
  const clock = new FakeClock();
  const queue = new WorkQueue({ name: 'pools', clock });
  queue.add('a');
  const reconcile = (): undefined => expect.unreachable();
  await startReconciler({ name: 'pools', queue, clock, logger: silentLogger, reconcile }, AbortSignal.abort())
    .stopped;
  expect(queue.length).toBe(0);
});
