import { describe, expect, it, test } from 'vitest';
import { allocate, type AllocationInput } from './allocate.ts';
import { bounded, children, readiness, reservations, specified, standings } from './allocate.fixture.ts';

function result(input: AllocationInput): string {
  const { replicas } = allocate(input);
  return Object.values(replicas).join(' ');
}

type SpecifiedRow = readonly [
  name: string,
  total: number | undefined,
  spec: string,
  current: string,
  next: string,
];

const specifiedRows: readonly SpecifiedRow[] = [
  ['S1', 6, '1 50% –', 'none', '1 3 2'],
  ['S2', 10, '2 50% –', 'none', '2 5 3'],
  ['S3', 10, '1 40% –', '2 5 3', '1 4 5'],
  ['S4', 4, '– – –', 'none', '1 1 2'],
  ['S5', 5, '– – –', '1 1 2', '1 2 2'],
  ['S7', 5, '– – –', '2 2 0', '2 2 1'],
  ['S8', 7, '– – –', '1 2 2', '2 2 3'],
  ['S9', 2, '– – –', '3 1 1', '1 0 1'],
  ['S10', 1, '– – –', '3 3 3', '0 0 1'],
  ['S11', 10, '– –', 'none', '5 5'],
  ['S12', 10, '9 –', '5 5', '9 1'],
  ['S13', 10, '40% –', '9 1', '4 6'],
  ['S14', 10, '30% –', '4 6', '3 7'],
  ['S15', 10, '20% – –', '3 7', '2 4 4'],
  ['S16', 10, '10% –', '2 4 4', '1 9'],
  ['S17', 10, '40% –', '1 9', '4 6'],
  ['S18', 3, '25% 25% –', 'none', '1 1 1'],
  ['S18', 4, '25% 25% –', '1 1 1', '1 1 2'],
  ['S18', 1, '25% 25% –', '1 1 2', '0 0 1'],
  ['S19', 5, '– – – –', '1 4 2 2', '1 2 1 1'],
  ['S19', 17, '– – – –', '1 4 2 2', '4 5 4 4'],
  ['S20', 9, '– – – –', '2 4 2 2', '2 3 2 2'],
  ['S21', 19, '– –', '0 10', '9 10'],
  ['S21', 21, '– –', '0 10', '10 11'],
  ['S22', 27, '4 – 4 –', '1 4 2 2', '4 10 4 9'],
  ['S23', 8, '4 – 4 –', '2 4 2 2', '4 0 4 0'],
  ['S24', 10, '1 2 3 –', '4 2 2 2', '1 2 3 4'],
  ['S25', undefined, '1 2 3 4', '4 2 2 2', '1 2 3 4'],
  ['zero of all, without a total', undefined, '0 0', '3 2', '0 0'],
  ['S28, refused before', 5, '50% 50%', 'none', '2 3'],
  ['S28, refused before', 5, '50% 50%', '3 2', '3 2'],
  ['S30, refused before', 10, '33% 33% 34%', 'none', '3 3 4'],
  ['S31', 3, '33% 33% 33%', 'none', '1 1 1'],
  ['S32', 5, '50% 30% –', 'none', '3 2 0'],
  ['S36', 10, '4 4 – –', '1 1 4 4', '4 4 1 1'],
  ['S37', 0, '– –', '3 3', '0 0'],
  ['S38', 10, '71% 29%', 'none', '7 3'],
  ['with others for the rest, though rounding takes it all', 5, '50% 50% –', 'none', '2 3 0'],
  ['with others for the rest, though rounding takes it all', 7, '50% 3 –', '4 3 0', '4 3 0'],
  ['with others for the rest, though rounding takes more', 1, '50% 50% –', '1 0 0', '1 0 0'],
  ['numbers and percentages that are the total exactly', 10, '5 25% 25%', 'none', '5 2 3'],
  ['all percentages of nothing', 0, '50% 50%', '2 3', '0 0'],
];

test.each(specifiedRows)('%s: %s as %s from %s is %s', (_name, total, spec, current, next) => {
  const input: AllocationInput = {
    total,
    subsets: specified(spec),
    mode: 'fixed',
    current: children(current),
  };
  expect(result(input)).toBe(next);
  expect(allocate(input).effective).toEqual({ ok: true });
});

test('S6: the order of the spec is irrelevant', () => {
  const subsets = specified('– – –').toReversed();
  expect(allocate({ total: 5, subsets, mode: 'fixed', current: {} }).replicas).toEqual({ a: 1, b: 2, c: 2 });
});

describe('percentages that add up to 100', () => {
  it.each(['50% 50%', '70% 30%', '90% 10%', '71% 29%', '33% 33% 34%', '40% 30% 30%', '50% 30% 20%'])(
    '%s: work for every total, and each is less than one replica off its share',
    (spec) => {
      const subsets = specified(spec);
      for (let total = 0; total <= 200; total += 1) {
        const { replicas, effective } = allocate({ total, subsets, mode: 'fixed', current: {} });
        expect(effective).toEqual({ ok: true });
        expect(Object.values(replicas).reduce((sum, each) => sum + each, 0)).toBe(total);
        for (const subset of subsets) {
          const exact = (Number.parseInt(String(subset.replicas), 10) * total) / 100;
          expect(Math.abs((replicas[subset.name] ?? 0) - exact)).toBeLessThan(1);
        }
      }
    },
  );
});

describe('a total of 0', () => {
  it.each<readonly [AllocationInput['mode'], string, string]>([
    ['fixed', '1 2', '1 2'],
    ['fixed', '1 50% –', '1 1 1'],
    ['adaptive', '2 –', '2 1'],
  ])('stops every subset and is no problem, %s: %s as %s', (mode, spec, current) => {
    const { replicas, effective } = allocate({
      total: 0,
      subsets: specified(spec),
      mode,
      current: children(current),
    });
    expect([Object.values(replicas).every((each) => each === 0), effective]).toEqual([true, { ok: true }]);
  });
});

describe('numbers that cannot be met', () => {
  const rows: readonly (readonly [...SpecifiedRow, message: string])[] = [
    [
      'S26',
      14,
      '6 6',
      '10 4',
      '10 4',
      'replicas of the subsets add up to 12 (a 6, b 6), less than spec.replicas 14: they are ignored, and every subset is scaled from what it has',
    ],
    [
      'S27',
      14,
      '10 11',
      '10 4',
      '10 4',
      'replicas of the subsets add up to 21 (a 10, b 11), more than spec.replicas 14: they are ignored, and every subset is scaled from what it has',
    ],
    [
      'S29',
      1,
      '1 50% –',
      'none',
      '0 0 1',
      'replicas of the subsets add up to 2 (a 1, b 50% = 1), more than spec.replicas 1: they are ignored, and every subset is scaled from what it has',
    ],
    [
      'S33',
      10,
      'abc% –',
      'none',
      '5 5',
      'replicas "abc%" of subset a is no number and no percentage: it counts as left out',
    ],
    [
      'S35',
      undefined,
      '3 –',
      'none',
      '3 0',
      'spec.replicas is not set, and replicas is not a whole number in b, which keep what they have',
    ],
    [
      'S35',
      undefined,
      '50% 2',
      '4 1',
      '4 2',
      'spec.replicas is not set, and replicas is not a whole number in a, which keep what they have',
    ],
    [
      'no number anywhere',
      undefined,
      '– –',
      'none',
      '0 1',
      'spec.replicas is not set, and replicas is not a whole number in a, b, which keep what they have',
    ],
    [
      'no number anywhere, in a world that runs',
      undefined,
      '– –',
      '7 2',
      '7 2',
      'spec.replicas is not set, and replicas is not a whole number in a, b, which keep what they have',
    ],
    [
      'percentages that are not 100',
      100,
      '33% 33% 33%',
      'none',
      '33 33 34',
      'replicas of the subsets add up to 99 (a 33% = 33, b 33% = 33, c 33% = 33), less than spec.replicas 100: they are ignored, and every subset is scaled from what it has',
    ],
    [
      'an empty world',
      5,
      '9 9 9',
      'none',
      '1 2 2',
      'replicas of the subsets add up to 27 (a 9, b 9, c 9), more than spec.replicas 5: they are ignored, and every subset is scaled from what it has',
    ],
    [
      'a total that is none',
      -1,
      '1 2',
      'none',
      '1 2',
      'spec.replicas -1 is no number of replicas: it counts as left out',
    ],
  ];

  it.each(rows)('%s: %s as %s from %s is %s', (_name, total, spec, current, next, message) => {
    const input: AllocationInput = {
      total,
      subsets: specified(spec),
      mode: 'fixed',
      current: children(current),
    };
    expect(result(input)).toBe(next);
    expect(allocate(input).effective).toEqual({ ok: false, message });
  });

  it('S34: no subsets have no place', () => {
    expect(allocate({ total: 3, subsets: [], mode: 'fixed', current: children('3') })).toEqual({
      replicas: {},
      effective: { ok: false, message: 'spec.topology.subsets is empty: spec.replicas 3 have no place' },
    });
  });

  it('name only a few of many subsets', () => {
    const subsets = specified('1 1 1 1 1 1 1');
    const { effective } = allocate({ total: 3, subsets, mode: 'fixed', current: {} });
    expect(effective).toMatchObject({
      message: expect.stringContaining('(a 1, b 1, c 1, d 1, e 1 and 2 more)'),
    });
  });

  it('count a subset that stands twice once', () => {
    const subsets = [...specified('1 2'), { name: 'a', replicas: 9 }];
    expect(allocate({ total: 3, subsets, mode: 'fixed', current: {} })).toEqual({
      replicas: { a: 1, b: 2 },
      effective: { ok: false, message: 'subset a stands twice: the first counts' },
    });
  });
});

const fallbackRows: readonly (readonly [string, number, string, string])[] = [
  ['F1', 17, '10 4', '10 7'],
  ['F2', 14, '10 4', '10 4'],
  ['F3', 10, '10 4', '6 4'],
  ['F4', 4, '10 4', '2 2'],
  ['F5', 24, '10 4', '12 12'],
  ['F6', 3, '2 2', '1 2'],
  ['F7', 9, '1 5 0', '2 5 2'],
  ['F8', 5, '4 3 3', '1 2 2'],
  ['F9', 12, '1 9 1', '1 9 2'],
  ['F10', 20, '10 4 1', '10 5 5'],
  ['F11', 8, '1 6 6', '1 3 4'],
  ['F12', 2, '0 0 3', '0 0 2'],
  ['F13', 7, '0 3 3', '1 3 3'],
  ['F14', 7, '3 3 3', '2 2 3'],
  ['F14', 10, '3 3 3', '3 3 4'],
  ['F15', 5, '0 0 0', '1 2 2'],
  ['F15, without children', 5, 'none', '1 2 2'],
];

test.each(fallbackRows)('%s: %d from %s falls back to %s', (_name, total, current, next) => {
  const subsets = specified(next.replaceAll(/\d+/g, '99'));
  expect(result({ total, subsets, mode: 'fixed', current: children(current) })).toBe(next);
});

test('the fallback does not count subsets that are gone from the spec', () => {
  const current = children('10 4 50');
  expect(result({ total: 17, subsets: specified('99 99'), mode: 'fixed', current })).toBe('10 7');
});

type BoundsRow = readonly [
  name: string,
  total: number | undefined,
  spec: string,
  current: string,
  next: string,
];

const boundsRows: readonly BoundsRow[] = [
  ['M1', 10, '2/5 2/5 2/5 2/5 2/–', 'none', '2 2 2 2 2'],
  ['M1', 14, '2/5 2/5 2/5 2/5 2/–', 'none', '5 3 2 2 2'],
  ['M1', 5, '2/5 2/5 2/5 2/5 2/–', 'none', '2 2 1 0 0'],
  ['M2', 3, '1/2 1/2 1/–', 'none', '1 1 1'],
  ['M2', 7, '1/2 1/2 1/–', 'none', '2 2 3'],
  ['M2', 1, '1/2 1/2 1/–', '2 2 3', '1 0 0'],
  ['M3', 5, '2/4 2/–', 'none', '3 2'],
  ['M4', 5, '–/4 –/–', 'none', '4 1'],
  ['M4', 4, '–/4 –/–', 'none', '4 0'],
  ['M4', 3, '–/4 –/–', '4 1', '3 0'],
  ['M5', 4, '2/4 0/2 0/–', 'none', '4 0 0'],
  ['M5', 7, '2/4 0/2 0/–', 'none', '4 2 1'],
  ['M6', 10, '20%/50% –/–', 'none', '5 5'],
  ['M6', 3, '20%/50% –/–', 'none', '2 1'],
  ['M6', 1, '20%/50% –/–', '5 5', '1 0'],
  ['M7', 10, '–/– 2/–', 'none', '8 2'],
  ['M8', 6, '–/2 1/2 –/–', 'none', '2 2 2'],
  ['M10', 0, '2/4 –/–', '3 2', '0 0'],
];

test.each(boundsRows)('%s: %s as %s from %s is %s', (_name, total, spec, current, next) => {
  const input: AllocationInput = { total, subsets: bounded(spec), mode: 'fixed', current: children(current) };
  expect(result(input)).toBe(next);
  expect(allocate(input).effective).toEqual({ ok: true });
});

describe('bounds that cannot be met', () => {
  const rows: readonly (readonly [...BoundsRow, message: string])[] = [
    [
      'M9',
      10,
      '5/3 –/–',
      'none',
      '5 5',
      'minReplicas 5 of subset a is more than its maxReplicas 3: it is kept between the two',
    ],
    [
      'M9, in a world that runs',
      10,
      '5/3 –/–',
      '4 6',
      '4 6',
      'minReplicas 5 of subset a is more than its maxReplicas 3: it is kept between the two',
    ],
    [
      'M9, a slip of the pen',
      10,
      '40/5 –/–',
      '4 6',
      '5 5',
      'minReplicas 40 of subset a is more than its maxReplicas 5: it is kept between the two',
    ],
    [
      'M9, by a percentage',
      2,
      '2/50% –/–',
      'none',
      '1 1',
      'minReplicas 2 of subset a is more than its maxReplicas 50% = 1: it is kept between the two',
    ],
    [
      'M10',
      undefined,
      '2/4 –/–',
      'none',
      '0 0',
      'spec.replicas is not set, and minReplicas and maxReplicas need it: the total stays what the subsets have now',
    ],
    [
      'M10, in a world that runs',
      undefined,
      '2/4 –/–',
      '3 5',
      '4 4',
      'spec.replicas is not set, and minReplicas and maxReplicas need it: the total stays what the subsets have now',
    ],
    [
      'M10, with a percentage',
      undefined,
      '–/50% –/–',
      '8 0',
      '8 0',
      'spec.replicas is not set, and minReplicas and maxReplicas need it: the total stays what the subsets have now; maxReplicas "50%" of subset a is a percentage of nothing: it counts as left out',
    ],
    [
      'M14',
      20,
      '1/4 1/4',
      'none',
      '4 4',
      'maxReplicas of the subsets add up to 8 (a 4, b 4), less than spec.replicas 20: 12 have no place',
    ],
    [
      'a maximum that is none',
      10,
      '–/4x –/–',
      'none',
      '10 0',
      'maxReplicas "4x" of subset a is no number and no percentage: it counts as left out',
    ],
    [
      'a minimum that is none',
      10,
      '–/4 -3/–',
      'none',
      '4 6',
      'minReplicas -3 of subset b is no number and no percentage: it counts as left out',
    ],
  ];

  it.each(rows)('%s: %s as %s from %s is %s', (_name, total, spec, current, next, message) => {
    const input: AllocationInput = {
      total,
      subsets: bounded(spec),
      mode: 'fixed',
      current: children(current),
    };
    expect(result(input)).toBe(next);
    expect(allocate(input).effective).toEqual({ ok: false, message });
  });

  it('report that replicas count for nothing beside them', () => {
    const subsets = [{ name: 'a', replicas: 3, maxReplicas: 4 }, { name: 'b' }];
    expect(allocate({ total: 6, subsets, mode: 'fixed', current: {} })).toEqual({
      replicas: { a: 4, b: 2 },
      effective: {
        ok: false,
        message:
          'replicas of subsets (a 3) counts for nothing beside minReplicas, maxReplicas or scheduleStrategy Adaptive',
      },
    });
  });
});

const adaptiveRows: readonly (readonly [
  name: string,
  total: number,
  spec: string,
  ready: string,
  next: string,
])[] = [
  ['A1', 10, '3/5 –/–', '0* 5', '3 7'],
  ['A1', 10, '3/5 –/–', '1* 5', '3 7'],
  ['A1', 10, '3/5 –/–', '2* 5', '3 7'],
  ['A1', 10, '3/5 –/–', '3* 5', '3 7'],
  ['A2', 10, '3/5 –/–', '5 5', '5 5'],
  ['A3', 4, '1/2 –/–', '1 1', '2 2'],
  ['A4', 3, '1/2 –/–', '2 2', '2 1'],
  ['A4', 1, '1/2 –/–', '2 1', '1 0'],
  ['A5', 3, '1/2 –/–', '0* 3', '1 2'],
  ['A6', 3, '0/2 –/–', '0* 3', '0 3'],
  ['A7', 4, '0/2 0/– 0/– 0/–', '0 0 0 0', '2 2 0 0'],
  ['A8', 4, '0/2 0/– 0/– 0/–', '2 0* 0 0', '2 0 2 0'],
  ['A9', 4, '0/2 0/– 0/– 0/–', '2 0* 0* 0', '2 0 0 2'],
  ['A10', 8, '0/2 0/– 0/– 0/–', '2 0* 0* 2', '2 0 0 6'],
  ['A11', 8, '0/2 0/– 0/– 0/–', '2 0 0 2', '2 4 0 2'],
  ['A12', 4, '0/– 0/– 0/– 0/–', '2 0 0 6', '2 0 0 2'],
  ['A13', 3, '–/2 –/2 –/–', '2 0* 0', '2 0 1'],
  ['A13', 5, '–/2 –/2 –/–', '2 0* 1', '2 0 3'],
  ['A14', 4, '–/– –/–', '4* 0', '4 0'],
  ['A14', 6, '–/– –/–', '4* 0', '4 2'],
  ['A15', 8, '–/2 –/–', '5 1', '2 6'],
  ['A16', 3, '2/– –/–', '5* 0', '3 0'],
  ['A17', 5, '–/2 –/3', 'none', '2 3'],
  ['a minimum wins over ready pods of others', 7, '–/– 3/–', '6 4', '4 3'],
  ['max wins over ready also without room', 8, '–/2 –/–', '5* 1', '2 6'],
];

test.each(adaptiveRows)('%s: %d as %s with %s ready is %s', (_name, total, spec, ready, next) => {
  const input: AllocationInput = {
    total,
    subsets: bounded(spec),
    mode: 'adaptive',
    current: readiness(ready),
  };
  expect(result(input)).toBe(next);
  expect(allocate(input).effective).toEqual({ ok: true });
});

describe('adaptive allocation where no subset has room', () => {
  const full = { unschedulable: true, readyReplicas: 1 };

  it('leaves pending pods where they are', () => {
    const current = standings([
      { replicas: 3, ...full },
      { replicas: 2, ...full },
    ]);
    expect(result({ total: 5, subsets: bounded('–/– –/–'), mode: 'adaptive', current })).toBe('3 2');
  });

  it('lets the first one that may grow', () => {
    const current = standings([
      { replicas: 3, ...full },
      { replicas: 2, ...full },
    ]);
    expect(result({ total: 9, subsets: bounded('–/4 –/–'), mode: 'adaptive', current })).toBe('4 5');
  });

  it('holds a subset whose bounds contradict each other where it is', () => {
    const subsets = bounded('5/3 –/–');
    expect(result({ total: 10, subsets, mode: 'adaptive', current: children('4 6') })).toBe('4 6');
    expect(result({ total: 10, subsets, mode: 'adaptive', current: {} })).toBe('3 7');
    expect(result({ total: 10, subsets, mode: 'reservation', current: children('9 0') })).toBe('5 5');
  });

  it('ignores replicas and reports it', () => {
    const { effective } = allocate({ total: 4, subsets: specified('2 2'), mode: 'adaptive', current: {} });
    expect(effective).toMatchObject({
      message: expect.stringContaining('(a 2, b 2) counts for nothing beside'),
    });
  });

  it('counts reserved pods and their substitutes once for a total that is left out, so that it does not grow', () => {
    const current = reservations('3 1', '1 0');
    const input = { total: undefined, subsets: bounded('–/– –/–'), mode: 'reservation', current } as const;
    expect(result(input)).toBe('3 1');
  });

  it.each([
    ['adaptive', '2 1'],
    ['reservation', '3 0'],
  ] as const)('takes the sum of replicas for a total that is left out: %s', (mode, next) => {
    const input = { total: undefined, subsets: specified('1 2'), mode, current: readiness('1 1') };
    expect(result(input)).toBe(next);
    const message =
      'replicas of subsets (a 1, b 2) counts only for the total of 3 beside minReplicas, maxReplicas or scheduleStrategy Adaptive';
    expect(allocate(input).effective).toEqual({ ok: false, message });
  });
});

const reservationRows: readonly (readonly [
  name: string,
  total: number,
  spec: string,
  current: string,
  reserved: string,
  next: string,
])[] = [
  ['R1', 8, '1/2 1/2 1/2 1/–', '0 0 0 0', '0 0 0 0', '2 2 2 2'],
  ['R2', 8, '1/2 1/2 1/2 1/–', '2 2 2 2', '0 2 2 0', '2 2 2 6'],
  ['R3', 8, '1/2 1/2 1/2 1/–', '2 2 2 6', '0 1 1 0', '2 2 2 4'],
  ['R4', 8, '1/2 1/2 1/2 1/–', '2 2 2 4', '0 m 1 0', '2 2 2 3'],
  ['R5', 8, '1/2 1/2 1/2 1/–', '2 2 2 3', '0 0 m 0', '2 2 2 2'],
  ['R6', 16, '2/4 2/4 2/4 2/–', '2 2 2 6', '0 1 1 0', '4 2 2 10'],
  ['R7', 8, '1/2 1/2 1/2 1/–', '4 2 2 10', '0 1 1 0', '2 2 2 4'],
  ['R8', 16, '2/4 2/4 2/4 2/–', '4 2 2 10', '0 m m 0', '4 4 4 8'],
  ['R9', 16, '2/4 2/4 2/4 2/–', '4 4 4 8', '0 2 2 0', '4 4 4 8'],
  ['R10', 16, '2/4 2/4 2/4 2/–', '4 4 4 8', '0 m m 0', '4 4 4 4'],
  ['R11', 2, '–/– –/– –/–', '0 0 0', '0 0 0', '2 0 0'],
  ['R12', 2, '–/– –/– –/–', '2 0 0', '2 0 0', '2 2 0'],
  ['R13', 2, '–/– –/– –/–', '2 2 0', '2 2 0', '2 2 2'],
  ['R14', 4, '–/– –/– –/–', '2 2 2', '2 2 0', '2 2 4'],
  ['R15', 4, '–/– –/– –/–', '2 2 4', '4 m 0', '2 4 2'],
  ['R16', 4, '–/– –/– –/–', '2 4 2', '4 2 0', '2 4 2'],
  ['R17', 4, '–/– –/– –/–', '2 4 2', '4 m 0', '2 4 0'],
  ['R18', 2, '–/– –/– –/–', '2 2 2', '2 1 0', '2 2 1'],
  ['R19', 2, '–/– –/– –/–', '2 2 1', '0 1 0', '2 0 0'],
  ['R20', 2, '–/– –/– –/–', '2 2 0', '0 0 0', '2 0 0'],
  ['R21', 4, '–/– –/– –/–', '2 2 4', 'm 2 0', '4 2 2'],
  ['R22', 2, '1/– 1/– 0/–', '0 0 0', '0 0 0', '1 1 0'],
  ['R23', 2, '1/– 1/– 0/–', '1 1 0', '1 1 0', '1 1 2'],
  ['R24', 2, '1/– 1/– 0/–', '1 1 2', 'm 1 0', '2 1 1'],
  ['R25', 2, '1/– 1/– 0/–', '2 1 1', '1 1 0', '2 1 1'],
  ['R26', 2, '1/– 1/– 0/–', '2 1 1', '0 1 0', '2 1 0'],
  ['R27', 2, '1/– 1/– 0/–', '2 1 0', '0 m 0', '1 1 0'],
  ['R28, with the raised minimum obeyed', 2, '2/– –/–', '1 0', '1 0', '2 2'],
  ['R28, with the raised minimum obeyed', 3, '2/– –/–', '1 0', '1 0', '2 3'],
  ['R29', 5, '–/3 –/–', '3 2', '3 0', '3 5'],
  ['R29', 5, '–/3 –/–', '3 5', '2 0', '3 4'],
  ['R29', 5, '–/3 –/–', '3 4', 'm 0', '3 2'],
  ['nowhere room, and enough pods', 2, '–/– –/–', '2 2', '2 2', '2 2'],
  ['nowhere room, and too few pods', 6, '–/3 –/–', '2 2', '2 2', '3 3'],
];

test.each(reservationRows)(
  '%s: %d as %s from %s with %s reserved is %s',
  (_name, total, spec, current, reserved, next) => {
    const input: AllocationInput = {
      total,
      subsets: bounded(spec),
      mode: 'reservation',
      current: reservations(current, reserved),
    };
    expect(result(input)).toBe(next);
    expect(allocate(input).effective).toEqual({ ok: true });
  },
);
