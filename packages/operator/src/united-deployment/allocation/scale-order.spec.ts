import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scaleOrder, type Scaling } from './scale-order.ts';

function subsets(...numbers: readonly (readonly [present: number, wanted: number])[]): readonly Scaling[] {
  return numbers.map(([present, wanted], index) => ({
    name: `s${index}`,
    present,
    own: present,
    wanted,
    now: true,
    isNew: false,
  }));
}

/** What a plan writes, as `number` or, in its second stage, `later number`. */
function written(list: readonly Scaling[]): readonly string[] {
  const order = scaleOrder(list);
  return list.map(({ name }) => {
    const { replicas = -1, later = false } = order[name] ?? {};
    return later ? `later ${replicas}` : String(replicas);
  });
}

describe('a scale', () => {
  it.each<readonly [string, readonly Scaling[], readonly string[]]>([
    ['that moves nothing is one stage', subsets([1, 2], [1, 3], [0, 0]), ['2', '3', '0']],
    ['up that moves one replica grows by the difference first', subsets([2, 1], [2, 4]), ['later 1', '3']],
    [
      'down that moves one replica shrinks by the difference first',
      subsets([2, 3], [3, 1]),
      ['later 3', '2'],
    ],
    ['that changes nothing but the places shrinks first', subsets([2, 1], [2, 3]), ['1', 'later 3']],
    ['up by more than it moves ends with the second stage', subsets([2, 1], [2, 6]), ['later 1', '5']],
  ])('%s', (_, list, wanted) => {
    expect(written(list)).toEqual(wanted);
  });

  it('waits with what shrinks for what grows and cannot be written yet', () => {
    const [shrinking, growing] = subsets([2, 1], [2, 4]);
    if (shrinking === undefined || growing === undefined) throw new Error('there are two');
    expect(written([shrinking, { ...growing, now: false }])).toEqual(['later 2', '2']);
  });

  it('gives what becomes free to children that are there before it makes a new one', () => {
    const [made, present, shrinking] = subsets([0, 2], [1, 3], [10, 5]);
    if (made === undefined || present === undefined || shrinking === undefined)
      throw new Error('there are three');
    expect(written([{ ...made, isNew: true }, present, shrinking])).toEqual(['later 0', 'later 2', '9']);
  });

  it.each<
    readonly [string, readonly (readonly [present: number, own: number, wanted: number])[], readonly string[]]
  >([
    [
      'out, while another one was scaled in, go back at once',
      [
        [9, 2, 2],
        [0, 3, 3],
        [3, 3, 3],
      ],
      ['2', 'later 3', '3'],
    ],
    [
      'out come back before others grow, though the total grows',
      [
        [5, 1, 2],
        [1, 1, 4],
        [1, 1, 4],
      ],
      ['2', 'later 4', 'later 4'],
    ],
    [
      'in come back before others grow',
      [
        [2, 2, 4],
        [0, 3, 4],
        [6, 6, 3],
      ],
      ['2', '3', 'later 3'],
    ],
  ])('takes children that somebody scaled %s', (_, numbers, wanted) => {
    const list = subsets(...numbers.map(([present, , number]) => [present, number] as const));
    expect(written(list.map((each, index) => ({ ...each, own: numbers[index]?.[1] ?? -1 })))).toEqual(wanted);
  });

  it('takes a child that somebody scaled out back only as far as the others may grow', () => {
    const [out, growing] = subsets([5, 1], [2, 6]);
    if (out === undefined || growing === undefined) throw new Error('there are two');
    expect(
      written([
        { ...out, own: 1 },
        { ...growing, now: false },
      ]),
    ).toEqual(['5', '2']);
  });

  it('takes no child that somebody scaled out back for a new one, which may be refused for good', () => {
    const [out, scaledIn, made] = subsets([90, 20], [0, 20], [0, 20]);
    if (out === undefined || scaledIn === undefined || made === undefined) throw new Error('there are three');
    const list = [
      { ...out, own: 30 },
      { ...scaledIn, own: 30 },
      { ...made, isNew: true },
    ];
    expect(written(list)).toEqual(['60', 'later 20', 'later 10']);
  });

  /** Numbers of pods before and after, and how often plans that are asked for again are interrupted. */
  const scale = fc.record({
    list: fc.array(fc.tuple(fc.nat(9), fc.nat(9)), { minLength: 1, maxLength: 6 }),
    order: fc.infiniteStream(fc.nat(1000)),
  });

  it('never leaves what lies between the old total and the new one, whatever the order within a stage', () => {
    fc.assert(
      fc.property(scale, ({ list, order }) => {
        fc.pre(sum(list.map(([present]) => present)) !== sum(list.map(([, wanted]) => wanted)));
        const present = new Map(subsets(...list).map((each) => [each.name, each.present]));
        const wanted = list.map(([, number]) => number);
        // What has no replicas yet may have no child.
        const made = new Set(list.flatMap(([number], index) => (number > 0 ? [`s${index}`] : [])));
        const bounds = [sum([...present.values()]), sum(wanted)];
        let plans = 0;
        for (; !isReached(present, wanted); plans += 1) {
          expect(plans, 'it comes to an end').toBeLessThan(60);
          const steps = scaleOrder(
            wanted.map((number, index) => ({
              name: `s${index}`,
              present: present.get(`s${index}`) ?? 0,
              own: present.get(`s${index}`) ?? 0,
              wanted: number,
              now: true,
              isNew: !made.has(`s${index}`),
            })),
          );
          for (const later of [false, true]) {
            const names = Object.keys(steps).filter((name) => steps[name]?.later === later);
            for (const name of shuffled(names, order)) {
              present.set(name, steps[name]?.replicas ?? 0);
              made.add(name);
              const total = sum([...present.values()]);
              expect(total).toBeGreaterThanOrEqual(Math.min(...bounds));
              expect(total).toBeLessThanOrEqual(Math.max(...bounds));
            }
          }
        }
      }),
    );
  });
});

function isReached(present: ReadonlyMap<string, number>, wanted: readonly number[]): boolean {
  return wanted.every((number, index) => present.get(`s${index}`) === number);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function shuffled(names: readonly string[], order: Iterator<number>): readonly string[] {
  return names
    .map((name) => [Number(order.next().value), name] as const)
    .toSorted(([a], [b]) => a - b)
    .map(([, name]) => name);
}
