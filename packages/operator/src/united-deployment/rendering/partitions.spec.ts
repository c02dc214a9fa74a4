import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { partitionsOf, type PartitionsInput } from './partitions.ts';

function input(given: Partial<PartitionsInput>): PartitionsInput {
  return { type: 'Manual', wanted: undefined, replicas: { a: 5, b: 5 }, present: {}, ...given };
}

const rows: readonly (readonly [string, Partial<PartitionsInput>, Readonly<Record<string, number>>])[] = [
  ['N1: as wanted', { wanted: { a: 4, b: 3 } }, { a: 4, b: 3 }],
  [
    'N2: at most the replicas, and 0 where none is wanted',
    { wanted: { a: 2 }, replicas: { a: 1, b: 9 } },
    { a: 1, b: 0 },
  ],
  ['N3: 0 each for an empty map', { wanted: {} }, { a: 0, b: 0 }],
  ['0 each without a map', {}, { a: 0, b: 0 }],
  [
    'S14: as it was, while the subset shrinks',
    { wanted: { a: 1 }, replicas: { a: 3, b: 7 } },
    { a: 1, b: 0 },
  ],
  ['S16: lowered with the subset', { wanted: { a: 2 }, replicas: { a: 1, b: 9 } }, { a: 1, b: 0 }],
  ['S17: back when the subset has grown', { wanted: { a: 2 }, replicas: { a: 4, b: 6 } }, { a: 2, b: 0 }],
  ['as wanted where the type was left out', { type: undefined, wanted: { a: 2 } }, { a: 2, b: 0 }],
  ['as wanted where the type is empty', { type: '', wanted: { a: 2 } }, { a: 2, b: 0 }],
  ['0 for another type', { type: 'Other', wanted: { a: 2 } }, { a: 0, b: 0 }],
  ['nothing for subsets that are not in the spec', { wanted: { gone: 2 } }, { a: 0, b: 0 }],
  [
    'what is wanted also for names that every object has',
    { wanted: {}, replicas: { constructor: 3 } },
    { constructor: 0 },
  ],
];

test.each(rows)('%s', (_title, given, values) => {
  expect(partitionsOf(input(given))).toMatchObject({ values, refused: [] });
});

test('while a child is still asked for more than its replicas, its partition is at most what it is asked for', () => {
  const given = input({
    wanted: { a: 3, b: 9, c: 9 },
    replicas: { a: 5, b: 5, c: 5 },
    asked: { a: 8, b: 8, c: 2 },
  });
  expect(partitionsOf(given).whileShrinking).toEqual({ a: 3, b: 8, c: 5 });
});

describe('a negative partition', () => {
  const wanted = { a: -1, b: 2 };
  const refused = [
    {
      subset: 'a',
      message:
        'spec.updateStrategy.manualUpdate.partitions[a]: -1 is not a number of pods: it must be 0 or more',
    },
  ];

  it('N4: is refused and reported, and harms no other subset', () => {
    expect(partitionsOf(input({ wanted }))).toMatchObject({ values: { a: 0, b: 2 }, refused });
  });

  it('leaves the child the partition that it has', () => {
    expect(partitionsOf(input({ wanted, present: { a: 3, b: 0 } }))).toMatchObject({
      values: { a: 3, b: 2 },
      refused,
    });
  });

  it('lowers what the child has to its replicas', () => {
    const given = input({ wanted, present: { a: 9 }, replicas: { a: 4, b: 1 } });
    expect(partitionsOf(given).values).toEqual({ a: 4, b: 1 });
  });
});

test('a partition is between 0 and the replicas, whatever is wanted', () => {
  const numbers = fc.dictionary(fc.constantFrom('a', 'b', 'c', '__proto__'), fc.integer({ min: -3, max: 9 }));
  const replicas = fc.dictionary(fc.constantFrom('a', 'b', '__proto__'), fc.nat(6));
  fc.assert(
    fc.property(numbers, replicas, numbers, (wanted, allocated, present) => {
      const { values } = partitionsOf({ type: undefined, wanted, replicas: allocated, present });
      expect(Object.keys(values)).toEqual(Object.keys(allocated));
      for (const [name, value] of Object.entries(values)) {
        expect(value).toBeGreaterThanOrEqual(0);
        expect(value).toBeLessThanOrEqual(allocated[name] ?? 0);
      }
    }),
  );
});
