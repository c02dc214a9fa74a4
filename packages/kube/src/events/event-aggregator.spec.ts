import { expect, it, vi } from 'vitest';
import { EventAggregator, type EventOccurrence } from './event-aggregator.ts';

function occurrence(number: number): EventOccurrence {
  const regarding = { apiVersion: 'v1', kind: 'Pod', name: `pod-${number}`, uid: `uid-${number}` };
  return { type: 'Normal', reason: 'Created', action: 'Create', note: 'created', regarding };
}

function aggregator() {
  return new EventAggregator({
    limit: 100,
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
