import { describe, expect, it, vi } from 'vitest';
import { EventAggregator, type EventOccurrence } from './event-aggregator.ts';

function occurrence(number: number, namespace = 'edge'): EventOccurrence {
  const name = `pod-${number}`;
  const regarding = { apiVersion: 'v1', kind: 'Pod', namespace, name, uid: `${namespace}-${number}` };
  return { type: 'Normal', reason: 'Created', action: 'Create', note: 'created', regarding };
}

function aggregator(limit = 100) {
  return new EventAggregator({
    limit,
    seriesIntervalMs: 30_000,
    perObject: { burst: 25, refillMs: 60_000 },
  });
}

/** Ten thousand objects, one event each, sent at once; yields how often all that is remembered was looked through. */
function sweepsOf(betweenMs: number): number {
  const events = aggregator();
  const walks = vi.spyOn(Map.prototype, Symbol.iterator);
  try {
    for (let number = 0; number < 10_000; number += 1) {
      const at = number * betweenMs;
      events.add(occurrence(number), at, at);
      const { pending } = events.next(at, () => true);
      if (pending !== undefined) events.sent(pending, `event-${number}`, at);
    }
    return walks.mock.calls.length / 2;
  } finally {
    walks.mockRestore();
  }
}

it('does not look through all events with each new one while thousands are counted', () => {
  expect(sweepsOf(1)).toBeLessThan(10);
});

it('forgets what is over, so that memory stays within what happened lately', () => {
  const few = sweepsOf(1);
  // Six minutes have some 360 of them; each time that many are over they are dropped.
  expect(sweepsOf(1_000)).toBeGreaterThan(few + 5);
});

describe('where the queue is full', () => {
  /** Adds one event after the other; yields why each was taken or something was dropped. */
  const addAll = (events: EventAggregator, namespace: string, numbers: readonly number[]) =>
    numbers.map((number) => events.add(occurrence(number, namespace), 0, 0));
  const waiting = (events: EventAggregator): string[] => {
    const names: string[] = [];
    for (let { pending } = events.next(0, () => true); pending; { pending } = events.next(0, () => true)) {
      const { namespace = '', name } = pending.occurrence.regarding;
      names.push(`${namespace}/${name}`);
    }
    return names;
  };

  it('the newest event of the namespace that has the most is dropped', () => {
    const events = aggregator(4);
    expect(addAll(events, 'edge', [0, 1, 2, 3])).toEqual([undefined, undefined, undefined, undefined]);
    expect(addAll(events, 'edge', [4])).toEqual(['queue-full']);
    expect(addAll(events, 'shop', [0, 1])).toEqual(['queue-full', 'queue-full']);
    expect(waiting(events)).toEqual(['edge/pod-0', 'edge/pod-1', 'shop/pod-0', 'shop/pod-1']);
  });

  it('namespaces that have as many, or one more, drop nothing of each other', () => {
    const events = aggregator(5);
    addAll(events, 'edge', [0, 1, 2]);
    addAll(events, 'shop', [0, 1, 2, 3]);
    addAll(events, 'lab', [0, 1, 2]);
    expect(waiting(events)).toEqual(['edge/pod-0', 'edge/pod-1', 'shop/pod-0', 'shop/pod-1', 'lab/pod-0']);
  });

  it('a count that was dropped goes on with the next repetition', () => {
    const events = aggregator(2);
    addAll(events, 'edge', [0, 1]);
    const { pending } = events.next(0, ({ regarding }) => regarding.name === 'pod-1');
    if (pending !== undefined) events.sent(pending, 'recorded', 0);
    addAll(events, 'edge', [2]);
    // Counts wait also in a full queue; this one is the newest.
    events.add(occurrence(1), 30_000, 30_000);
    expect(events.add(occurrence(0, 'shop'), 30_000, 30_000)).toBe('queue-full');
    expect(events.add(occurrence(0, 'lab'), 30_000, 30_000)).toBe('queue-full');
    events.add(occurrence(1), 60_000, 60_000);
    const { pending: count } = events.next(60_000, ({ regarding }) => regarding.name === 'pod-1');
    expect(count).toMatchObject({ name: 'recorded', count: 3 });
  });

  it('an event of an object that has had too many drops no other', () => {
    const events = new EventAggregator({
      limit: 3,
      seriesIntervalMs: 30_000,
      perObject: { burst: 1, refillMs: 60_000 },
    });
    addAll(events, 'edge', [0, 1]);
    addAll(events, 'shop', [0]);
    events.next(0, ({ regarding }) => regarding.namespace === 'shop');
    addAll(events, 'edge', [2]);
    expect(events.add({ ...occurrence(0, 'shop'), note: 'another' }, 0, 0)).toBe('rate-limited');
    expect(waiting(events)).toHaveLength(3);
  });
});
