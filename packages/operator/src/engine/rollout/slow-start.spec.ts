import { expect, test } from 'vitest';
import { slowStartSlots } from './slow-start.ts';

const minute = 60_000;

// reference/extendeddaemonset.md 3.10, the worked values for 100 nodes.
test.each([
  { increase: 1, after: 0, slots: 1, moreAt: minute },
  { increase: 1, after: 2 * minute, slots: 3, moreAt: 3 * minute },
  { increase: 2, after: 2 * minute, slots: 6, moreAt: 3 * minute },
  { increase: 10, after: 5 * minute, slots: 60, moreAt: 6 * minute },
  { increase: 30, after: 10 * minute, slots: 250, moreAt: undefined },
  { increase: 0, after: 10 * minute, slots: 0, moreAt: undefined },
  { increase: 1, after: -minute, slots: 1, moreAt: minute },
])('$increase more each minute, $after ms after the start: $slots', ({ increase, after, slots, moreAt }) => {
  const since = 1_000_000;
  const found = slowStartSlots({ since, intervalMs: minute, increase, atMost: 250 }, since + after);
  expect(found).toEqual({ slots, moreAt: moreAt === undefined ? undefined : since + moreAt });
});
