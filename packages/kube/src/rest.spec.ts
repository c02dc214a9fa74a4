import { expect, test } from 'vitest';
import { restAfter } from './rest.ts';

const limits = { factor: 10, maxMs: 1000 };
const patient = { ...limits, maxRetryMs: 200 };
const crowded = { ...limits, minMs: 500 };

test.each([
  { says: 'rests a multiple of what the pass cost', costMs: 7, limits, restMs: 70 },
  { says: 'rests no longer than the bound', costMs: 60_000, limits, restMs: 1000 },
  { says: 'rests not at all after a pass that cost next to nothing', costMs: 0.09, limits, restMs: 0 },
  { says: 'rests at least so long, however cheap the pass was', costMs: 7, limits: crowded, restMs: 500 },
  { says: 'rests longer than the least where the pass was costly', costMs: 70, limits: crowded, restMs: 700 },
  {
    says: 'rests the least, where that is above the bound',
    costMs: 60_000,
    limits: { ...limits, minMs: 3000 },
    restMs: 3000,
  },
  { says: 'rests as long as any other before it is repeated', costMs: 60, retryMs: 5, limits, restMs: 600 },
  { says: 'rests less before it is repeated', costMs: 60, retryMs: 5, limits: patient, restMs: 200 },
  { says: 'rests no longer than its back-off', costMs: 60, retryMs: 320, limits: patient, restMs: 320 },
  { says: 'rests no longer for a long back-off', costMs: 60, retryMs: 9000, limits: patient, restMs: 600 },
  { says: 'rests less than the least for a repetition', costMs: 7, retryMs: 5, limits: crowded, restMs: 70 },
  { says: 'rests no longer for a repetition', costMs: 7, retryMs: 5, limits: patient, restMs: 70 },
])('a key $says', ({ costMs, limits: given, retryMs, restMs }) => {
  expect(restAfter(costMs, given, retryMs)).toBe(restMs);
});
