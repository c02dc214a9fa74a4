import { describe, expect, test } from 'vitest';
import { FakeClock, flushTasks } from '../testing/fake-clock.ts';
import { sleep } from '../clock/clock.ts';
import { createMetrics } from '../telemetry/metrics.ts';
import { lowPriority, WorkQueue, type WorkQueueOptions } from './work-queue.ts';

function setUp(options: Partial<WorkQueueOptions> = {}): {
  clock: FakeClock;
  queue: WorkQueue;
  taken: string[];
} {
  const clock = new FakeClock();
  const queue = new WorkQueue({ name: 'pools', clock, minimumInterval: { factor: 0, maxMs: 0 }, ...options });
  return { clock, queue, taken: [] };
}

/** Takes everything that can be taken now, without finishing any of it. */
async function takeAll(queue: WorkQueue): Promise<string[]> {
  const keys: string[] = [];
  for (;;) {
    const stop = new AbortController();
    const taking = queue.take(stop.signal);
    await flushTasks();
    stop.abort();
    const key = await taking;
    if (key === undefined) return keys;
    keys.push(key);
  }
}

describe('a key', () => {
  test('waits once, however often it is added', async () => {
    const { queue } = setUp();
    for (const key of ['a', 'b', 'a', 'a']) queue.add(key);
    expect(queue.length).toBe(2);
    expect(await takeAll(queue)).toEqual(['a', 'b']);
  });

  test('that is added while it is worked on gets one more pass afterwards', async () => {
    const { queue } = setUp();
    queue.add('a');
    expect(await takeAll(queue)).toEqual(['a']);
    queue.add('a');
    queue.add('a');
    expect(await takeAll(queue)).toEqual([]);
    queue.done('a');
    expect(await takeAll(queue)).toEqual(['a']);
    queue.done('a');
    expect(await takeAll(queue)).toEqual([]);
  });

  test('is handed out without any time passing', async () => {
    const { queue } = setUp();
    const taking = queue.take();
    queue.add('a');
    expect(await taking).toBe('a');
  });

  test('is handed out only after all events of the same moment are in', async () => {
    const { queue } = setUp();
    const taking = queue.take();
    for (let event = 0; event < 50; event++) queue.add('a');
    expect(await taking).toBe('a');
    queue.done('a');
    expect(await takeAll(queue)).toEqual([]);
  });
});

describe('a reconcile later', () => {
  test('comes after its time and not before', async () => {
    const { clock, queue } = setUp();
    queue.addAfter('a', 1000);
    await clock.advance(999);
    expect(await takeAll(queue)).toEqual([]);
    await clock.advance(1);
    expect(await takeAll(queue)).toEqual(['a']);
  });

  test.each([
    [1000, 500],
    [500, 1000],
  ])('of calls for %d and %d ms the earlier holds, and only it', async (first, second) => {
    const { clock, queue } = setUp();
    queue.addAfter('a', first);
    queue.addAfter('a', second);
    await clock.advance(500);
    expect(await takeAll(queue)).toEqual(['a']);
    queue.done('a');
    await clock.advance(5000);
    expect(await takeAll(queue)).toEqual([]);
  });

  test('is fulfilled by an add', async () => {
    const { clock, queue } = setUp();
    queue.addAfter('a', 1000);
    queue.add('a');
    queue.addAfter('a', 10);
    expect(await takeAll(queue)).toEqual(['a']);
    queue.done('a');
    await clock.advance(5000);
    expect(await takeAll(queue)).toEqual([]);
    expect(clock.pending).toBe(0);
  });

  test('that is asked for during a reconcile comes after it', async () => {
    const { clock, queue } = setUp();
    queue.add('a');
    await takeAll(queue);
    queue.addAfter('a', 100);
    await clock.advance(200);
    expect(await takeAll(queue)).toEqual([]);
    queue.done('a');
    expect(await takeAll(queue)).toEqual(['a']);
  });

  test('in no time is now, and one in many years does not fire at once', async () => {
    const { clock, queue } = setUp();
    queue.addAfter('now', 0);
    queue.addAfter('past', -5);
    queue.addAfter('far', 1e15);
    await clock.advance(1000);
    expect(await takeAll(queue)).toEqual(['now', 'past']);
  });
});

describe('back-off', () => {
  test('doubles per key with each retry up to a bound and starts anew after success', async () => {
    const { clock, queue } = setUp({ backoff: { baseMs: 5, maxMs: 60 } });
    const waits: number[] = [];
    for (let retry = 0; retry < 6; retry += 1) {
      waits.push(queue.nextBackoff('a'));
      await clock.advance(waits.at(-1) ?? 0);
    }
    expect(waits).toEqual([5, 10, 20, 40, 60, 60]);
    expect(queue.nextBackoff('b')).toBe(5);
    expect(queue.failures('a')).toBe(6);
    queue.forget('a');
    expect(queue.nextBackoff('a')).toBe(5);
  });

  test('does not keep a fresh event waiting', async () => {
    const { clock, queue } = setUp({ backoff: { baseMs: 1000, maxMs: 1000 } });
    for (const key of ['a', 'b']) queue.addAfter(key, queue.nextBackoff(key));
    queue.add('a');
    expect(await takeAll(queue)).toEqual(['a']);
    await clock.advance(1000);
    expect(await takeAll(queue)).toEqual(['b']);
  });
});

describe('priorities', () => {
  test('a waiting key is raised by a fresh event and never lowered', async () => {
    const { queue } = setUp();
    for (const key of ['a', 'b', 'c']) queue.add(key, { priority: lowPriority });
    queue.add('c');
    queue.add('c', { priority: lowPriority });
    expect(queue.length).toBe(3);
    expect(await takeAll(queue)).toEqual(['c', 'a', 'b']);
  });

  test('an event does not wait for the rest of a long first list, not even after ten seconds', async () => {
    const { clock, queue } = setUp();
    for (let number = 0; number < 3_000; number += 1)
      queue.add(`listed-${number}`, { priority: lowPriority });
    const work = async (): Promise<string> => {
      const key = (await queue.take()) ?? '';
      await clock.advance(20);
      queue.done(key);
      return key;
    };
    for (let done = 0; done < 600; done += 1) await work();
    const before = clock.monotonic();
    queue.add('event');
    while ((await work()) !== 'event');
    expect(clock.monotonic() - before).toBeLessThan(1_000);
  });

  test('a key has its turn within six seconds beside others of its lane whose priority is always higher', async () => {
    const { clock, queue, taken } = setUp({ laneOf: () => 'shop', keysPerLane: 2 });
    const busy = ['a', 'b', 'c'];
    for (const key of busy) queue.add(key, { priority: 1 });
    queue.add('status');
    const work = async (): Promise<void> => {
      for (let key = await queue.take(); key !== undefined; key = await queue.take()) {
        taken.push(key);
        if (busy.includes(key)) queue.add(key, { priority: 1, urgent: true });
        await sleep(clock, 20);
        queue.done(key);
      }
    };
    const workers = [work(), work(), work()];
    await clock.advance(5_000);
    expect(taken).not.toContain('status');
    await clock.advance(1_000);
    expect(taken).toContain('status');
    void queue.shutDown();
    await clock.advance(1_000);
    await Promise.all(workers);
  });

  test('a key of the first list has its turn after ten seconds beside two that are always due', async () => {
    const { clock, queue } = setUp();
    queue.add('listed', { priority: lowPriority });
    const taken: (string | undefined)[] = [];
    for (let second = 0; second < 20; second += 1) {
      queue.add('busy-1');
      queue.add('busy-2');
      const key = await queue.take();
      taken.push(key);
      await clock.advance(1_000);
      queue.done(key ?? '');
    }
    // Both wait already when its time is over.
    expect(taken.indexOf('listed')).toBe(12);
  });
});

describe('lanes', () => {
  const laneOf = (key: string): string | undefined => (key.includes('/') ? key.split('/')[0] : undefined);

  test('keys of one lane are never worked on together, others are', async () => {
    const { queue } = setUp({ laneOf });
    for (const key of ['x/1', 'x/2', 'y/1', 'free', 'x/3']) queue.add(key);
    expect(await takeAll(queue)).toEqual(['x/1', 'y/1', 'free']);
    expect(queue.length).toBe(2);
    queue.done('x/1');
    expect(await takeAll(queue)).toEqual(['x/2']);
    queue.done('x/2');
    expect(await takeAll(queue)).toEqual(['x/3']);
  });
});

describe('minimum intervals', () => {
  test('a burst during a costly reconcile and its interval becomes one reconcile', async () => {
    const { clock, queue } = setUp({ minimumInterval: { factor: 1, maxMs: 1000 } });
    queue.add('a');
    await takeAll(queue);
    await clock.advance(200);
    queue.done('a');
    for (let event = 0; event < 19; event++) {
      queue.add('a');
      await clock.advance(10);
      expect(await takeAll(queue)).toEqual([]);
    }
    await clock.advance(10);
    expect(await takeAll(queue)).toEqual(['a']);
  });

  test('end where something urgent comes, also when it came during the reconcile', async () => {
    const { clock, queue } = setUp({ minimumInterval: { factor: 1, maxMs: 1000 } });
    queue.add('a');
    await takeAll(queue);
    await clock.advance(500);
    queue.done('a');
    queue.add('a');
    expect(await takeAll(queue)).toEqual([]);
    queue.add('a', { urgent: true });
    expect(await takeAll(queue)).toEqual(['a']);
    await clock.advance(500);
    queue.add('a', { urgent: true });
    queue.done('a');
    expect(await takeAll(queue)).toEqual(['a']);
    // The timers of intervals that were cut short end no later interval.
    await clock.advance(400);
    queue.done('a');
    queue.add('a');
    await clock.advance(399);
    expect(await takeAll(queue)).toEqual([]);
    await clock.advance(1);
    expect(await takeAll(queue)).toEqual(['a']);
  });

  test('follow the cost that the reconcile reports', async () => {
    const { clock, queue } = setUp({ minimumInterval: { factor: 10, maxMs: 1000 } });
    queue.add('a');
    await takeAll(queue);
    await clock.advance(5_000);
    queue.done('a', { costMs: 2 });
    queue.add('a');
    await clock.advance(19);
    expect(await takeAll(queue)).toEqual([]);
    await clock.advance(1);
    expect(await takeAll(queue)).toEqual(['a']);
  });

  test('a cheap reconcile is followed by the shortest interval, which only what is urgent ends', async () => {
    const { clock, queue } = setUp({ minimumInterval: { factor: 1, maxMs: 1000, minMs: 500 } });
    queue.add('a');
    await takeAll(queue);
    queue.done('a', { costMs: 1 });
    queue.add('a');
    await clock.advance(499);
    expect(await takeAll(queue)).toEqual([]);
    await clock.advance(1);
    expect(await takeAll(queue)).toEqual(['a']);
    queue.done('a', { costMs: 1 });
    queue.add('a', { urgent: true });
    expect(await takeAll(queue)).toEqual(['a']);
  });

  test('do not touch the first event after quiet', async () => {
    const { clock, queue } = setUp({ minimumInterval: { factor: 1, maxMs: 1000 } });
    queue.add('a');
    await takeAll(queue);
    await clock.advance(200);
    queue.done('a');
    await clock.advance(200);
    queue.add('a');
    expect(await takeAll(queue)).toEqual(['a']);
  });
});

describe('shutting down', () => {
  test('drops what waits and waits for what is worked on', async () => {
    const { clock, queue } = setUp();
    queue.add('a');
    expect(await takeAll(queue)).toEqual(['a']);
    queue.add('b');
    queue.addAfter('c', 10);
    const waiting = queue.take();
    queue.add('a');
    let ended = false;
    const end = queue.shutDown().then(() => (ended = true));
    queue.add('d');
    await clock.advance(100);
    expect(await takeAll(queue)).toEqual([]);
    expect(ended).toBe(false);
    queue.done('a');
    await end;
    expect(await waiting).toBeUndefined();
  });

  test('hands out to a waiting worker that there is nothing more', async () => {
    const { queue } = setUp();
    const waiting = queue.take();
    await queue.shutDown();
    expect(await waiting).toBeUndefined();
    expect(await queue.take()).toBeUndefined();
  });
});

test('the metrics carry client-go’s names', async () => {
  const metrics = createMetrics({ processMetrics: false });
  const { clock, queue } = setUp({ metrics });
  queue.add('a');
  queue.add('a');
  queue.add('b', { priority: lowPriority });
  queue.addAfter('c', 1000);
  await clock.advance(250);
  const text = await metrics.registry.metrics();
  expect(text).toContain('workqueue_depth{name="pools",controller="pools",priority="0"} 1');
  expect(text).toContain('workqueue_depth{name="pools",controller="pools",priority="-100"} 1');
  expect(text).toContain('workqueue_adds_total{name="pools",controller="pools"} 2');
  expect(text).toContain('workqueue_retries_total{name="pools",controller="pools"} 1');
  await takeAll(queue);
  await clock.advance(500);
  const later = await metrics.registry.metrics();
  expect(later).toContain('workqueue_depth{name="pools",controller="pools",priority="0"} 0');
  expect(later).toContain('workqueue_queue_duration_seconds_sum{name="pools",controller="pools"} 0.5');
  expect(later).toContain('workqueue_unfinished_work_seconds{name="pools",controller="pools"} 1');
  expect(later).toContain('workqueue_longest_running_processor_seconds{name="pools",controller="pools"} 0.5');
  queue.done('a');
  expect(await metrics.registry.metrics()).toContain(
    'workqueue_work_duration_seconds_count{name="pools",controller="pools"} 1',
  );
});
