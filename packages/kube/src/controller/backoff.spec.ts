import { expect, test } from 'vitest';
import { Backoff } from './backoff.ts';

/** The waits after failures at these times. */
function waits(backoff: Backoff, ...times: readonly number[]): readonly number[] {
  return times.map((at) => backoff.next('a', at));
}

test('a retry that fails doubles the wait, up to a bound', () => {
  expect(waits(new Backoff({ baseMs: 5, maxMs: 25 }), 0, 5, 15, 35, 60)).toEqual([5, 10, 20, 25, 25]);
});

test('the wait may grow by another factor', () => {
  const refusals = new Backoff({ baseMs: 1_000, factor: 10, maxMs: 30_000 });
  expect(waits(refusals, 0, 1_000, 11_000, 41_000)).toEqual([1_000, 10_000, 30_000, 30_000]);
});

test('a failure before the retry is due neither lengthens the wait nor postpones the retry', () => {
  const backoff = new Backoff({ baseMs: 1_000, maxMs: 30_000 });
  expect(waits(backoff, 0, 100, 200, 999)).toEqual([1_000, 900, 800, 1]);
  expect(backoff.failures('a')).toBe(1);
  expect(waits(backoff, 1_000)).toEqual([2_000]);
});

test('each key waits for itself, and from the start after it did well', () => {
  const backoff = new Backoff({ baseMs: 1_000, maxMs: 30_000 });
  waits(backoff, 0, 1_000);
  expect(backoff.next('b', 1_000)).toBe(1_000);
  expect([backoff.waitMs('a', 2_000), backoff.waitMs('a', 3_000), backoff.waitMs('c', 0)]).toEqual([
    1_000, 0, 0,
  ]);
  backoff.forget('a');
  expect(waits(backoff, 2_000)).toEqual([1_000]);
});

test('stays bounded after thousands of failures', () => {
  const backoff = new Backoff({ baseMs: 5, maxMs: 300_000 });
  for (let failure = 0; failure < 5_000; failure += 1) backoff.next('a', failure * 300_000);
  expect(backoff.next('a', 5_000 * 300_000)).toBe(300_000);
});
