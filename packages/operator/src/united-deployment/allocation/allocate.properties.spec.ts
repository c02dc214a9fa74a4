import type { IntOrPercent } from '@atoll/kube';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import {
  allocate,
  type Allocation,
  type AllocationInput,
  type SubsetNumbers,
  type SubsetStanding,
} from './allocate.ts';
import { idle, nameOf, specified, standings } from './allocate.fixture.ts';

const counts = fc.nat(8);
const number: fc.Arbitrary<IntOrPercent> = fc.oneof(
  fc.nat(9),
  fc.nat(100).map((percent) => `${percent}%`),
);
/** Numbers as careless people and careless clients write them. */
const scrawl = fc.oneof(number, fc.constantFrom(-1, 1.5, '5', 'abc%', '101%', '', null, 1e12));

function listOf<T>(each: fc.Arbitrary<T>, minLength = 0): fc.Arbitrary<T[]> {
  return fc.array(each, { minLength, maxLength: 5 });
}

function named(all: readonly Omit<SubsetNumbers, 'name'>[]): SubsetNumbers[] {
  return all.map((numbers, i) => ({ ...numbers, name: nameOf(i) }));
}

function optional<T>(given: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  return fc.option(given, { nil: undefined });
}

const anyBounds = listOf(fc.record({ minReplicas: optional(number), maxReplicas: optional(number) })).map(
  named,
);
/** At least one subset may have any number, so that there is a place for every total. */
const openBounds = fc
  .tuple(anyBounds, fc.record({ minReplicas: optional(counts) }))
  .map(([some, open]) => [...some, { ...open, name: 'z' }]);
const anySpecified = listOf(fc.record({ replicas: optional(number) }), 1).map(named);

const standing: fc.Arbitrary<SubsetStanding> = fc
  .tuple(counts, counts, counts, counts, fc.boolean(), fc.boolean())
  .map(([replicas, ready, starting, reserved, unschedulable, marked]) => ({
    replicas,
    readyReplicas: Math.min(ready, replicas),
    scheduledReplicas: Math.min(ready + starting, replicas),
    unschedulable,
    reservedPods: unschedulable ? Math.min(reserved, replicas) : 0,
    marked,
  }));
const current = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'z', 'gone'), standing);
const total = fc.nat(40);

function sumOf(numbers: Readonly<Record<string, number>>): number {
  return Object.values(numbers).reduce((sum, each) => sum + each, 0);
}

/** The world after an answer was carried out, and before anything else happened. */
function carriedOut(
  before: AllocationInput['current'],
  replicas: Readonly<Record<string, number>>,
): AllocationInput['current'] {
  return Object.fromEntries(
    Object.entries(replicas).map(([name, next]) => [name, { ...idle, ...before[name], replicas: next }]),
  );
}

/** The answer that is given once the first was carried out. */
function askedAgain(input: AllocationInput): Allocation {
  const { replicas } = allocate(input);
  return allocate({ ...input, current: carriedOut(input.current, replicas) });
}

describe('whatever the input', () => {
  const junk: fc.Arbitrary<AllocationInput> = fc.record({
    total: optional(fc.oneof(fc.integer(), fc.double(), fc.constant(Number.NaN))),
    subsets: listOf(
      fc.record({
        name: fc.constantFrom('a', 'b', 'c', 'constructor', '__proto__', 'toString', ''),
        replicas: optional(scrawl),
        minReplicas: optional(scrawl),
        maxReplicas: optional(scrawl),
      }),
    ),
    mode: fc.constantFrom('fixed', 'adaptive', 'reservation'),
    current: fc.dictionary(fc.constantFrom('a', 'b', 'constructor', '__proto__', 'x'), standing),
  }) as fc.Arbitrary<AllocationInput>;

  it('every subset gets a whole number from 0 up, and nothing is thrown', () => {
    fc.assert(
      fc.property(junk, (input) => {
        const { replicas, effective } = allocate(input);
        expect(Object.keys(replicas).toSorted()).toEqual(
          [...new Set(input.subsets.map(({ name }) => name))].toSorted(),
        );
        for (const each of Object.values(replicas)) {
          expect(Number.isSafeInteger(each)).toBe(true);
          expect(each).toBeGreaterThanOrEqual(0);
        }
        expect(effective.ok ? 'ok' : effective.message).not.toBe('');
      }),
      { numRuns: 1000 },
    );
  });

  it('the order of the world does not matter', () => {
    fc.assert(
      fc.property(junk, (input) => {
        const turned = Object.fromEntries(Object.entries(input.current).toReversed());
        expect(allocate({ ...input, current: turned })).toEqual(allocate(input));
      }),
    );
  });
});

describe('by replicas', () => {
  const world = fc.record({
    total,
    subsets: anySpecified,
    mode: fc.constant('fixed' as const),
    current,
  });

  it('the sum is the total, also where the numbers cannot be met', () => {
    fc.assert(
      fc.property(world, (input) => {
        expect(sumOf(allocate(input).replicas)).toBe(input.total);
      }),
    );
  });

  it('numbers that are effective are met, percentages within one replica', () => {
    fc.assert(
      fc.property(world, (input) => {
        const { replicas, effective } = allocate(input);
        // A total of 0 stops everything.
        fc.pre(effective.ok && input.total !== 0);
        for (const { name, replicas: wanted } of input.subsets) {
          const given = replicas[name] ?? 0;
          const exact =
            typeof wanted === 'string' ? (Number.parseInt(wanted, 10) * input.total) / 100 : wanted;
          const slack = typeof wanted === 'string' ? 1 : Number.MIN_VALUE;
          expect(Math.abs(given - (exact ?? given))).toBeLessThan(slack);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('asked again, the answer is the same', () => {
    fc.assert(
      fc.property(world, (input) => {
        expect(askedAgain(input)).toEqual(allocate(input));
      }),
      { numRuns: 500 },
    );
    fc.assert(
      fc.property(anySpecified, current, (subsets, before) => {
        const input = { total: undefined, subsets, mode: 'fixed', current: before } as const;
        expect(askedAgain(input)).toEqual(allocate(input));
      }),
    );
  });

  it('the order of the spec does not matter', () => {
    fc.assert(
      fc.property(world, (input) => {
        const turned = { ...input, subsets: input.subsets.toReversed() };
        expect(allocate(turned).replicas).toEqual(allocate(input).replicas);
      }),
    );
  });

  it('where one has to be moved, no even spread moves less', () => {
    fc.assert(
      fc.property(listOf(counts, 1), fc.nat(20), (before, wanted) => {
        const subsets = specified(before.map(() => '–').join(' '));
        const given = standings(before.map((replicas) => ({ replicas })));
        const { replicas } = allocate({ total: wanted, subsets, mode: 'fixed', current: given });
        const moved = (spread: readonly number[]): number =>
          spread.reduce((sum, each, i) => sum + Math.abs(each - (before[i] ?? 0)), 0);
        const least = Math.min(...evenSpreads(wanted, before.length).map(moved));
        expect(moved(Object.values(replicas))).toBe(least);
      }),
    );
  });

  it('an even spread lowers nobody while it grows, and raises nobody while it shrinks', () => {
    fc.assert(
      fc.property(listOf(counts, 1), total, total, (before, first, second) => {
        const subsets = specified(before.map(() => '–').join(' '));
        const given = standings(before.map((replicas) => ({ replicas })));
        const then = allocate({ total: first, subsets, mode: 'fixed', current: given }).replicas;
        const now = allocate({
          total: second,
          subsets,
          mode: 'fixed',
          current: carriedOut({}, then),
        }).replicas;
        expect(movedAgainst(second - first, then, now)).toEqual([]);
      }),
    );
  });

  it('the fallback moves no more than the difference, all of it in one direction', () => {
    fc.assert(
      fc.property(listOf(counts, 1), total, (before, wanted) => {
        const subsets = specified(before.map(() => '99').join(' '));
        const given = standings(before.map((replicas) => ({ replicas })));
        const { replicas } = allocate({ total: wanted, subsets, mode: 'fixed', current: given });
        const then = Object.fromEntries(Object.entries(given).map(([name, each]) => [name, each.replicas]));
        expect(movedAgainst(wanted - sumOf(then), then, replicas)).toEqual([]);
      }),
    );
  });

  it('percentages of 100 that are rounded move nothing that rounding does not ask for', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 99 }), total, counts, (percent, wanted, first) => {
        const subsets = specified(`${percent}% ${100 - percent}%`);
        const [floor, tie] = [Math.floor((percent * wanted) / 100), (percent * wanted) % 100 === 50];
        const given = standings([{ replicas: first }, { replicas: wanted - first }]);
        const { replicas } = allocate({ total: wanted, subsets, mode: 'fixed', current: given });
        const stays = first === floor || first === floor + 1;
        expect(tie && stays ? [first] : [floor, floor + 1]).toContain(replicas['a']);
      }),
    );
  });

  it('percentages that add up to 100 take at most one from anybody while the total grows', () => {
    const parts = fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(parts, total, fc.nat(20), current, (some, first, more, given) => {
        const rest = 100 - some.reduce((sum, percent) => sum + percent, 0);
        fc.pre(rest > 0);
        const subsets = specified([...some, rest].map((percent) => `${percent}%`).join(' '));
        const then = allocate({ total: first, subsets, mode: 'fixed', current: given }).replicas;
        const next = {
          total: first + more,
          subsets,
          mode: 'fixed',
          current: carriedOut(given, then),
        } as const;
        const { replicas } = allocate(next);
        for (const [name, before] of Object.entries(then)) {
          expect(replicas[name]).toBeGreaterThanOrEqual(before - 1);
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe.each(['fixed', 'adaptive'] as const)('by bounds in whole numbers, %s', (mode) => {
  const bounds = fc.tuple(optional(counts), optional(counts)).map(([minReplicas, more]) => ({
    minReplicas,
    maxReplicas: more === undefined ? undefined : (minReplicas ?? 0) + more,
  }));
  const subsetsOf = listOf(bounds, 1).map((some) => named([...some, {}]));
  const changesBetween = (before: Allocation, after: Allocation): readonly number[] =>
    Object.entries(after.replicas)
      .map(([name, replicas]) => replicas - (before.replicas[name] ?? 0))
      .filter((change) => change !== 0);

  test('one more in the total is one more in one subset', () => {
    fc.assert(
      fc.property(subsetsOf, total, current, (subsets, smaller, given) => {
        const answer = (asked: number) => allocate({ total: asked, subsets, mode, current: given });
        expect(changesBetween(answer(smaller), answer(smaller + 1))).toEqual([1]);
      }),
      { numRuns: 500 },
    );
  });

  test('a total that grows lowers nobody, and one that shrinks raises nobody, also once the first was carried out', () => {
    fc.assert(
      fc.property(subsetsOf, total, total, current, (subsets, first, second, given) => {
        const before = allocate({ total: first, subsets, mode, current: given });
        const then = carriedOut(given, before.replicas);
        const changes = changesBetween(before, allocate({ total: second, subsets, mode, current: then }));
        const against = changes.filter((change) => Math.sign(change) !== Math.sign(second - first));
        expect(against).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });
});

describe.each(['fixed', 'adaptive', 'reservation'] as const)('by bounds, %s', (mode) => {
  const world = fc.record({ total, subsets: openBounds, mode: fc.constant(mode), current });

  it('the sum is the total, or in reservation at least that', () => {
    fc.assert(
      fc.property(world, (input) => {
        const sum = sumOf(allocate(input).replicas);
        const substituted = Object.values(input.current).some(
          ({ unschedulable, marked }) => unschedulable || marked,
        );
        const substitutes = mode === 'reservation' && substituted ? sum - input.total : 0;
        expect(substitutes).toBeGreaterThanOrEqual(0);
        expect(sum).toBe(input.total + substitutes);
      }),
      { numRuns: 500 },
    );
  });

  it('bounds are held', () => {
    fc.assert(
      fc.property(world, (input) => {
        const { replicas, effective } = allocate(input);
        fc.pre(effective.ok);
        const minima = input.subsets.map(({ minReplicas = 0 }) => rounded(minReplicas, input.total));
        const enough = minima.reduce((sum, min) => sum + min, 0) <= input.total;
        for (const [i, { name, maxReplicas }] of input.subsets.entries()) {
          const max = maxReplicas === undefined ? Infinity : rounded(maxReplicas, input.total);
          expect(replicas[name]).toBeLessThanOrEqual(max);
          expect(replicas[name]).toBeGreaterThanOrEqual(enough ? (minima[i] ?? 0) : 0);
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe.each(['fixed', 'adaptive'] as const)('by any bounds, %s', (mode) => {
  it('asked again, the answer is the same', () => {
    const world = fc.record({ total: optional(total), subsets: anyBounds, mode: fc.constant(mode), current });
    fc.assert(
      fc.property(world, (input) => {
        expect(askedAgain(input)).toEqual(allocate(input));
      }),
      { numRuns: 500 },
    );
  });
});

it('adaptive moves no ready pod away from where it may be, nor one that has a node from a subset without room, while the total has room for it', () => {
  const world = fc.record({ total, subsets: openBounds, mode: fc.constant('adaptive' as const), current });
  fc.assert(
    fc.property(world, (input) => {
      const { replicas, effective } = allocate(input);
      fc.pre(effective.ok);
      const held = input.subsets.map(({ name, minReplicas = 0, maxReplicas }) => {
        const max = maxReplicas === undefined ? Infinity : rounded(maxReplicas, input.total);
        const { readyReplicas, scheduledReplicas, unschedulable } = input.current[name] ?? idle;
        const stays = Math.min(unschedulable ? scheduledReplicas : readyReplicas, max);
        return { name, stays, held: Math.max(stays, rounded(minReplicas, input.total)) };
      });
      fc.pre(held.reduce((sum, each) => sum + each.held, 0) <= input.total);
      for (const { name, stays } of held) expect(replicas[name]).toBeGreaterThanOrEqual(stays);
    }),
    { numRuns: 500 },
  );
});

it('adaptive takes nothing from a subset with room, whatever its pods do, while minima and the total have room for it', () => {
  const world = fc.record({ total, subsets: openBounds, mode: fc.constant('adaptive' as const), current });
  fc.assert(
    fc.property(world, (input) => {
      const held = input.subsets.map(({ name, minReplicas = 0, maxReplicas }) => {
        const max = maxReplicas === undefined ? Infinity : rounded(maxReplicas, input.total);
        const { replicas, unschedulable } = input.current[name] ?? idle;
        const stays = unschedulable ? 0 : Math.min(replicas, max);
        const held = Math.max(Math.min(replicas, max), rounded(minReplicas, input.total));
        return { name, stays, held };
      });
      fc.pre(held.reduce((sum, each) => sum + each.held, 0) <= input.total);
      const { replicas, effective } = allocate(input);
      fc.pre(effective.ok);
      for (const { name, stays } of held) expect(replicas[name]).toBeGreaterThanOrEqual(stays);
    }),
    { numRuns: 500 },
  );
});

/** In reservation a subset has no room exactly while it has reserved pods. */
const reserving = fc.dictionary(
  fc.constantFrom('a', 'b', 'c', 'd', 'e', 'z', 'gone'),
  standing.map((each) => ({ ...each, unschedulable: each.reservedPods > 0 })),
);

it('in reservation, asked again after new pods were reserved, the answer is the same', () => {
  const world = fc.record({
    total,
    subsets: openBounds,
    mode: fc.constant('reservation' as const),
    current: reserving,
  });
  fc.assert(
    fc.property(world, (input) => {
      const first = allocate(input);
      const next = Object.entries(carriedOut(input.current, first.replicas)).map(([name, after]) => {
        // What is new in a subset without room counts as reserved; scaling in takes pods that are not ready first.
        const more = after.replicas - (input.current[name]?.replicas ?? 0);
        const closed = after.unschedulable || after.marked;
        const reservedPods = closed ? Math.max(0, after.reservedPods + more) : 0;
        return [name, { ...after, reservedPods, unschedulable: reservedPods > 0 }] as const;
      });
      // A subset that lost its last reserved pod has recovered: that is another world.
      const recovered = next.some(([name, { reservedPods }]) => {
        return reservedPods === 0 && (input.current[name]?.reservedPods ?? 0) > 0;
      });
      fc.pre(!recovered);
      expect(allocate({ ...input, current: Object.fromEntries(next) })).toEqual(first);
    }),
    { numRuns: 1000 },
  );
});

function rounded(value: IntOrPercent, of: number): number {
  return typeof value === 'number' ? value : Math.floor((Number.parseInt(value, 10) * of + 50) / 100);
}

/** The subsets that were lowered while the total grew, or raised while it shrank; any that moved where it stayed. */
function movedAgainst(
  difference: number,
  then: Readonly<Record<string, number>>,
  now: Readonly<Record<string, number>>,
): readonly string[] {
  return Object.keys(now).filter((name) => {
    const change = (now[name] ?? 0) - (then[name] ?? 0);
    return change !== 0 && Math.sign(change) !== Math.sign(difference);
  });
}

/** All ways to spread a total over so many subsets that no two differ by more than one. */
function evenSpreads(of: number, subsets: number): readonly (readonly number[])[] {
  const [base, extra] = [Math.floor(of / subsets), of % subsets];
  const all: number[][] = [];
  for (let chosen = 0; chosen < 2 ** subsets; chosen += 1) {
    const spread = Array.from({ length: subsets }, (_, i) => base + ((chosen >> i) & 1));
    if (spread.reduce((sum, each) => sum + each, 0) === base * subsets + extra) all.push(spread);
  }
  return all;
}
