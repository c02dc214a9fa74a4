import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { levelOut, type BoundedSubset } from './level-out.ts';

const names = ['a', 'b', 'c', 'd', 'e'];

function boundedSubsets(
  replicas: readonly number[],
  bounds: readonly (readonly [number, number])[] = [],
): BoundedSubset[] {
  return replicas.map((each, i) => {
    const [min, max] = bounds[i] ?? [0, Infinity];
    return { name: names[i] ?? '', replicas: each, min, max };
  });
}

function level(total: number, given: readonly BoundedSubset[]): number[] {
  return [...levelOut(total, given).values()];
}

const table: readonly (readonly [string, number, readonly number[], readonly number[]])[] = [
  ['F1', 17, [10, 4], [10, 7]],
  ['F2', 14, [10, 4], [10, 4]],
  ['F3', 10, [10, 4], [6, 4]],
  ['F4', 4, [10, 4], [2, 2]],
  ['F5', 24, [10, 4], [12, 12]],
  ['F6', 3, [2, 2], [1, 2]],
  ['F7', 9, [1, 5, 0], [2, 5, 2]],
  ['F8', 5, [4, 3, 3], [1, 2, 2]],
  ['F9', 12, [1, 9, 1], [1, 9, 2]],
  ['F10', 20, [10, 4, 1], [10, 5, 5]],
  ['F11', 8, [1, 6, 6], [1, 3, 4]],
  ['F12', 2, [0, 0, 3], [0, 0, 2]],
  ['F13', 7, [0, 3, 3], [1, 3, 3]],
  ['F14', 7, [3, 3, 3], [2, 2, 3]],
  ['F14', 10, [3, 3, 3], [3, 3, 4]],
  ['F15', 5, [0, 0, 0], [1, 2, 2]],
];

test.each(table)('%s: %d from %j is %j', (_name, total, current, next) => {
  expect(level(total, boundedSubsets(current))).toEqual(next);
});

describe('between bounds', () => {
  it.each([
    [
      'raises the others once one is full',
      9,
      [0, 0, 0],
      [
        [0, 2],
        [0, Infinity],
        [0, Infinity],
      ],
      [2, 3, 4],
    ],
    [
      'gives what does not divide to none that is full',
      7,
      [2, 2, 2],
      [
        [0, 9],
        [0, 9],
        [0, 2],
      ],
      [2, 3, 2],
    ],
    [
      'lowers the others once one is at its minimum',
      6,
      [5, 5, 5],
      [
        [4, 9],
        [0, 9],
        [0, 9],
      ],
      [4, 1, 1],
    ],
    [
      'draws what is outside into them first',
      6,
      [0, 9, 0],
      [
        [2, 9],
        [0, 3],
        [0, 9],
      ],
      [2, 3, 1],
    ],
    [
      'stays short where all are full',
      20,
      [1, 1],
      [
        [1, 4],
        [1, 4],
      ],
      [4, 4],
    ],
    [
      'goes below the minima where they are too many',
      3,
      [4, 4],
      [
        [4, 9],
        [2, 9],
      ],
      [1, 2],
    ],
  ] as const)('%s', (_title, total, current, bounds, next) => {
    expect(level(total, boundedSubsets(current, bounds))).toEqual(next);
  });
});

test('a total of two thousand million is levelled at once', () => {
  expect(level(2_147_483_647, boundedSubsets([0, 1, 2]))).toEqual([715827882, 715827882, 715827883]);
});

/** The rule itself, a replica at a time. */
function oneByOne(total: number, given: readonly BoundedSubset[]): number[] {
  const now = given.map(({ replicas, min, max }) => Math.min(Math.max(replicas, min), max));
  const at = (i: number): number => now[i] ?? 0;
  for (const useMinima of [true, false]) {
    for (;;) {
      const difference = total - now.reduce((sum, each) => sum + each, 0);
      const movable = given
        .map((_, i) => i)
        .filter((i) =>
          difference > 0
            ? at(i) < (given[i]?.max ?? 0)
            : difference < 0 && at(i) > (useMinima ? (given[i]?.min ?? 0) : 0),
        );
      // Names rise with the index: the greatest name is the last index.
      const [first] = movable.toSorted((i, j) =>
        difference > 0 ? at(i) - at(j) || j - i : at(j) - at(i) || i - j,
      );
      if (first === undefined) break;
      now[first] = at(first) + Math.sign(difference);
    }
  }
  return now;
}

function boundsUpTo(most: number) {
  return fc
    .tuple(fc.nat(most), fc.oneof(fc.nat(most), fc.constant(Infinity)))
    .map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const);
}

const counts = fc.array(fc.nat(8), { minLength: 1, maxLength: 5 });
const world = fc.tuple(counts, fc.array(boundsUpTo(6), { minLength: 5, maxLength: 5 }), fc.nat(40));

/** Small numbers: one world in 140 has a subset at its maximum among those that are equally low when a rest is given away. */
const tightWorld = fc.tuple(
  fc.array(fc.nat(3), { minLength: 2, maxLength: 5 }),
  fc.array(boundsUpTo(3), { minLength: 5, maxLength: 5 }),
  fc.nat(12),
);

test.each([
  ['far apart', world, 100],
  ['near each other', tightWorld, 2000],
] as const)(
  'levelling numbers %s is raising the lowest, or lowering the highest, one by one',
  (_, each, runs) => {
    fc.assert(
      fc.property(each, ([current, limits, total]) => {
        const given = boundedSubsets(current, limits);
        expect(level(total, given)).toEqual(oneByOne(total, given));
      }),
      { numRuns: runs },
    );
  },
);

test('a second levelling moves nothing', () => {
  fc.assert(
    fc.property(world, ([current, limits, total]) => {
      const once = level(total, boundedSubsets(current, limits));
      expect(level(total, boundedSubsets(once, limits))).toEqual(once);
    }),
  );
});

test('without bounds the sum is exact and no more moves than the difference, all of it in one direction', () => {
  fc.assert(
    fc.property(counts, fc.nat(40), (current, total) => {
      const next = level(total, boundedSubsets(current));
      expect(next.reduce((sum, each) => sum + each, 0)).toBe(total);
      const moved = next.reduce((sum, each, i) => sum + Math.abs(each - (current[i] ?? 0)), 0);
      expect(moved).toBe(Math.abs(total - current.reduce((sum, each) => sum + each, 0)));
    }),
  );
});

test('it does not matter whether a total is reached in one step or in many', () => {
  fc.assert(
    fc.property(counts, fc.nat(10), fc.nat(10), (current, first, second) => {
      const sum = current.reduce((all, each) => all + each, 0);
      const detour = level(sum + first + second, boundedSubsets(level(sum + first, boundedSubsets(current))));
      expect(detour).toEqual(level(sum + first + second, boundedSubsets(current)));
    }),
  );
});

test('the order of the subsets does not matter', () => {
  fc.assert(
    fc.property(world, ([current, limits, total]) => {
      const given = boundedSubsets(current, limits);
      const turned = levelOut(total, given.toReversed());
      expect(Object.fromEntries(turned)).toEqual(Object.fromEntries(levelOut(total, given)));
    }),
  );
});
