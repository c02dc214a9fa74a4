import { expect, test } from 'vitest';
import { readShare } from './share.ts';

const table: readonly (readonly [total: number, percent: number, replicas: number])[] = [
  [6, 50, 3],
  [5, 50, 3],
  [3, 50, 2],
  [1, 50, 1],
  [10, 71, 7],
  [10, 29, 3],
  [7, 33, 2],
  [3, 25, 1],
  [1, 25, 0],
  [2, 25, 1],
  [0, 50, 0],
  [49, 1, 0],
  [50, 1, 1],
  [9, 5, 0],
  [10, 5, 1],
  [15, 10, 2],
  [25, 10, 3],
  [35, 10, 4],
  [1000, 33, 330],
  [7, 100, 7],
  [100, 1, 1],
  [2_147_483_647, 100, 2_147_483_647],
];

test.each(table)('P: of %d, %d% are %d', (total, percent, replicas) => {
  expect(readShare(`${percent}%`, total)?.replicas).toBe(replicas);
});

test.each([-1, '5', '101%', '-1%', '12.5%', 'abc%', '', 1.5, Number.NaN, 2_147_483_648])(
  'P: %j is no number of replicas',
  (value) => {
    expect(readShare(value, 10)).toBeUndefined();
  },
);

test.each([null, {}, [], true, [5]])(
  'P: %j is no number of replicas, though no schema lets it in',
  (value) => {
    expect(readShare(value as never, 10)).toBeUndefined();
  },
);

test('P: a percentage of a total that was left out is none', () => {
  expect(readShare('50%', undefined)).toBeUndefined();
});

test.each([
  [3, 3],
  [30, 30],
  ['+5%', 1],
  ['005%', 1],
])('P: of 10, %j are %d', (value, replicas) => {
  expect(readShare(value, 10)?.replicas).toBe(replicas);
});
