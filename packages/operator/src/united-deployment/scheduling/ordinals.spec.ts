import { expect, it } from 'vitest';
import { podsUpTo } from './ordinals.ts';

it.each([
  [4, {}, 5],
  [104, { ordinals: { start: 100 } }, 5],
  [7, { reserveOrdinals: [0, 1, 2] }, 5],
  [7, { reserveOrdinals: ['1-2', '4'] }, 5],
  [7, { reserveOrdinals: ['6-20', 'none'] }, 6],
  [12, { ordinals: { start: 10 }, reserveOrdinals: [3, 11] }, 2],
  // The pod is of an earlier start.
  [4, { ordinals: { start: 10 } }, 0],
])('up to ordinal %i with %j there are %i pods', (last, spec, count) => {
  expect(podsUpTo(last, spec)).toBe(count);
});
