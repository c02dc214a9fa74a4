import { expect, test } from 'vitest';
import { intervalAfter } from './minimum-interval.ts';

const limits = { factor: 10, maxMs: 1000 };
const patient = { ...limits, maxRetryMs: 200 };
const short = { ...limits, minMs: 500 };

test.each([
  { title: 'waits a multiple of what the reconcile cost', costMs: 7, limits, intervalMs: 70 },
  { title: 'waits no longer than the bound', costMs: 60_000, limits, intervalMs: 1000 },
  {
    title: 'waits not at all after a reconcile that cost next to nothing',
    costMs: 0.09,
    limits,
    intervalMs: 0,
  },
  {
    title: 'waits at least so long, however cheap the reconcile was',
    costMs: 7,
    limits: short,
    intervalMs: 500,
  },
  {
    title: 'waits longer than the least where the reconcile was costly',
    costMs: 70,
    limits: short,
    intervalMs: 700,
  },
  {
    title: 'waits the least, where that is above the bound',
    costMs: 60_000,
    limits: { ...limits, minMs: 3000 },
    intervalMs: 3000,
  },
  {
    title: 'waits as long as any other before it is repeated',
    costMs: 60,
    retryMs: 5,
    limits,
    intervalMs: 600,
  },
  { title: 'waits less before it is repeated', costMs: 60, retryMs: 5, limits: patient, intervalMs: 200 },
  { title: 'waits no longer than its back-off', costMs: 60, retryMs: 320, limits: patient, intervalMs: 320 },
  {
    title: 'waits no longer for a long back-off',
    costMs: 60,
    retryMs: 9000,
    limits: patient,
    intervalMs: 600,
  },
  {
    title: 'waits less than the least for a repetition',
    costMs: 7,
    retryMs: 5,
    limits: short,
    intervalMs: 70,
  },
  { title: 'waits no longer for a repetition', costMs: 7, retryMs: 5, limits: patient, intervalMs: 70 },
])('a key $title', ({ costMs, limits: given, retryMs, intervalMs }) => {
  expect(intervalAfter(costMs, given, retryMs)).toBe(intervalMs);
});
