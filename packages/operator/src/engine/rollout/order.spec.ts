import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inOrder, rankedBy, unhealthyFirst, zonesInterleaved, type Ranking } from './order.ts';
import { anyTargets, target } from './target.fixture.ts';
import type { Target } from './target.ts';

const ids = (targets: readonly Target[]): readonly string[] => targets.map(({ id }) => id);

describe('an order is a chain of rankings', () => {
  const fleet = [
    target('n5', { zone: 'b' }),
    target('n2', { zone: 'a' }),
    target('n3', { zone: 'a', health: 'broken' }),
    target('n1', { zone: 'a' }),
    target('n4', { zone: 'b', health: 'starting' }),
    target('n6'),
  ];
  const restarts = rankedBy(({ id }) => (id === 'n6' ? 0 : 3));
  const rows: readonly [string, readonly Ranking[], string][] = [
    ['without rankings, by id', [], 'n1 n2 n3 n4 n5 n6'],
    ['unhealthy first', [unhealthyFirst], 'n3 n4 n1 n2 n5 n6'],
    ['zones in turn', [zonesInterleaved], 'n1 n4 n6 n2 n5 n3'],
    ['zones in turn among what is equally healthy', [unhealthyFirst, zonesInterleaved], 'n3 n4 n1 n5 n6 n2'],
    ['a number of the kind’s own', [restarts], 'n6 n1 n2 n3 n4 n5'],
    ['the first ranking wins', [restarts, unhealthyFirst], 'n6 n3 n4 n1 n2 n5'],
  ];
  it.each(rows)('%s', (_name, chain, expected) => {
    expect(ids(inOrder(fleet, chain)).join(' ')).toBe(expected);
  });

  it('puts numbers before texts, and numbers by their value', () => {
    const keys: Readonly<Record<string, number | string>> = { a: 'x', b: 10, c: 9, d: 'w' };
    const by = rankedBy(({ id }) => keys[id] ?? 0);
    expect(
      ids(
        inOrder(
          Object.keys(keys).map((id) => target(id)),
          [by],
        ),
      ),
    ).toEqual(['c', 'b', 'd', 'a']);
  });
});

describe('of any targets', () => {
  const anyChain = fc.subarray([unhealthyFirst, zonesInterleaved, rankedBy(({ zone = '' }) => zone)]);

  it('the order is a permutation', () => {
    fc.assert(
      fc.property(anyTargets, anyChain, (targets, chain) => {
        const ordered = inOrder(targets, chain);
        expect([...ids(ordered)].sort()).toEqual([...ids(targets)].sort());
      }),
    );
  });

  it('the order is the same in whatever order they are listed', () => {
    fc.assert(
      fc.property(
        anyTargets.chain((targets) =>
          fc.tuple(fc.constant(targets), fc.shuffledSubarray([...targets], { minLength: targets.length })),
        ),
        anyChain,
        ([targets, shuffled], chain) => {
          expect(ids(inOrder(shuffled, chain))).toEqual(ids(inOrder(targets, chain)));
        },
      ),
    );
  });

  it('no zone gets two before each other zone that still has some got one', () => {
    fc.assert(
      fc.property(anyTargets, (targets) => {
        const ordered = inOrder(targets, [zonesInterleaved]);
        const total = (zone: string | undefined) => targets.filter((each) => each.zone === zone).length;
        const taken = new Map<string | undefined, number>();
        for (const { zone } of ordered) {
          const mine = (taken.get(zone) ?? 0) + 1;
          taken.set(zone, mine);
          for (const other of new Set(targets.map((each) => each.zone))) {
            expect(taken.get(other) ?? 0).toBeGreaterThanOrEqual(Math.min(total(other), mine - 1));
          }
        }
      }),
    );
  });
});
