import fc from 'fast-check';
import { expect, it } from 'vitest';
import { defaultRetryPolicy, parseRetryAfter, pauseBeforeRetry, serverPause } from './retry-policy.ts';

it.for([
  ['5', 5_000],
  ['0', 0],
  [' 2 ', 2_000],
  ['Thu, 01 Jan 1970 00:00:10 GMT', 9_000],
  ['Thu, 01 Jan 1970 00:00:00 GMT', 0],
  ['soon', undefined],
  ['soon 1', undefined],
  ['-1', undefined],
  ['1.5', undefined],
  ['600, 5', undefined],
  ['', undefined],
  [undefined, undefined],
] as const)('Retry-After %s is %s ms', ([header, expected]) => {
  expect(parseRetryAfter(header, 1_000)).toBe(expected);
});

it('pauses longer and longer, never longer than the limit, never shorter than the server asks', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 4 }),
      fc.option(fc.integer({ min: 0, max: 10_000 }), { nil: undefined }),
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      (attempt, retryAfterMs, random) => {
        const pause = pauseBeforeRetry(defaultRetryPolicy, attempt, retryAfterMs, () => random) ?? NaN;
        const least = (retryAfterMs ?? 0) + (100 * 2 ** (attempt - 1)) / 2;
        expect(pause).toBeGreaterThanOrEqual(least);
        expect(pause).toBeLessThanOrEqual((retryAfterMs ?? 0) + defaultRetryPolicy.longestPauseMs);
      },
    ),
  );
});

it('gives up after the last try, and at once where the server wants a long pause', () => {
  expect(pauseBeforeRetry(defaultRetryPolicy, 5, undefined, Math.random)).toBeUndefined();
  expect(pauseBeforeRetry(defaultRetryPolicy, 1, 10_001, Math.random)).toBeUndefined();
});

it('a Status says how long to wait where the header makes no sense', () => {
  expect(serverPause('-1', 5, 0)).toBe(5_000);
});
