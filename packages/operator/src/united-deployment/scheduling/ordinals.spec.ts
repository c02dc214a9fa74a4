import { expect, it } from 'vitest';
import { podsUpTo } from './ordinals.ts';

it.each([
  [4, {}, 5],
  [104, { ordinals: { start: 100 } }, 5],
  [7, { reserveOrdinals: [0, 1, 2] }, 5],
  [7, { reserveOrdinals: ['1-2', '4'] }, 5],
  [7, { reserveOrdinals: ['6-20', 'none'] }, 6],
  [12, { ordinals: { start: 10 }, reserveOrdinals: [3, 11] }, 2],
  // Numbers that are left out twice.
  [5, { reserveOrdinals: [0, '0-2'] }, 3],
  [9, { reserveOrdinals: ['4-6', '2-8', 5, 'none'] }, 3],
  [12, { ordinals: { start: 10 }, reserveOrdinals: ['8-10', 10] }, 2],
  // The pod is of an earlier start.
  [4, { ordinals: { start: 10 } }, 0],
])('up to ordinal %i with %j there are %i pods', (last, spec, count) => {
  expect(podsUpTo(last, spec)).toBe(count);
});
