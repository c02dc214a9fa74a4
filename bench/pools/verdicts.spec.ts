import { expect, test } from 'vitest';
import type { Rollout, Work } from '../rollout/measurement.ts';
import { span } from '../pace/span.fixture.ts';
import { median } from '../verdicts/verdict.ts';
import type { Measurement } from './measurement.ts';
import { verdictsOf } from './verdicts.ts';
import type { Written } from './written.ts';

const written: Written = {
  creates: 10,
  applies: 0,
  deletes: 0,
  nodePatches: 0,
  workloadStatus: 3,
  poolStatus: 0,
  events: 1,
  refused: 0,
  total: 14,
};

function rollout(childrenMs: number, podsMs: number, bystandersMs = 200): Rollout {
  return { childrenMs, podsMs, bystandersMs, processorMs: {} };
}

function byOperator(rollout: Rollout, change: Partial<Written> = {}): Rollout & Work<Written> {
  return { ...rollout, cpu: span(15), seenMs: 900, written: { ...written, ...change } };
}

const calm: Measurement = {
  pools: 10,
  rounds: [
    {
      baseline: { first: rollout(100, 1000), second: rollout(100, 1000) },
      operator: {
        syncedAfterMs: 500,
        first: byOperator(rollout(120, 1050)),
        second: byOperator(rollout(120, 1050), { creates: 0, applies: 10 }),
        peakRss: 100e6,
      },
    },
  ],
  syncedAfter: span(700),
  poolJoins: [{ childWrites: 1, afterMs: 9 }],
  poolLeaves: [{ childWrites: 1, afterMs: 9 }],
  rest: { seconds: 120, writes: 0, cpu: span(240) },
  joining: { nodes: 10, nodeWrites: 10, mostStatusWritesPerPoolAndSecond: 1 },
};

function missed(change: Partial<Measurement>): readonly string[] {
  return verdictsOf({ ...calm, ...change })
    .filter(({ met }) => !met)
    .map(({ what }) => what);
}

test('what keeps all promises is met', () => {
  expect(missed({})).toEqual([]);
});

test.each<[string, Partial<Measurement>, readonly string[]]>([
  ['a write at rest', { rest: { ...calm.rest, writes: 1 } }, ['at rest for 120 s: writes']],
  ['half a percent at rest', { rest: { ...calm.rest, cpu: span(600) } }, ['at rest for 120 s: processor']],
  ['a late child', { poolJoins: [{ childWrites: 1, afterMs: 101 }] }, ['one pool joins: writes of children']],
  [
    'a second child',
    { poolLeaves: [{ childWrites: 2, afterMs: 9 }] },
    ['one pool leaves: writes of children'],
  ],
  [
    'no child at all',
    { poolJoins: [{ childWrites: 0, afterMs: Number.NaN }] },
    ['one pool joins: writes of children'],
  ],
  ['a slow start', { syncedAfter: span(2001) }, ['caches synced after the start of the process']],
])('%s is a missed target', (_, change, what) => {
  expect(missed(change)).toEqual(what);
});

test('a count must be right in every run, and a ratio is the median of the runs', () => {
  const [round] = calm.rounds;
  const slow = round && {
    ...round,
    operator: { ...round.operator, first: byOperator(rollout(999, 9999)) },
  };
  const twice = round && {
    ...round,
    operator: {
      ...round.operator,
      second: byOperator(rollout(120, 1050), { creates: 0, applies: 11 }),
    },
  };
  const rounds = [round, slow, twice].filter((each) => each !== undefined);
  expect(missed({ rounds })).toEqual(['new image: applies']);
});

test('the median of an even number of values lies between the two in the middle', () => {
  expect([median([3, 1, 2]), median([4, 1, 3, 2])]).toEqual([2, 2.5]);
});

test('what a slow machine lengthens is scaled to one speed, and people see what was measured', () => {
  const [round] = calm.rounds;
  const slow = round && {
    ...round,
    operator: {
      ...round.operator,
      first: { ...byOperator(rollout(180, 1600, 300)), cpu: span(30, 1.5) },
    },
  };
  const verdicts = verdictsOf({ ...calm, rounds: slow === undefined ? [] : [slow] });
  expect(verdicts.filter(({ met }) => !met)).toEqual([]);
  expect(verdicts.map(({ measured }) => measured)).toEqual(
    expect.arrayContaining([
      '1.20 × (1.80 ×, 0.2 s : 0.1 s)',
      '1.07 × (1.60 ×, 1.6 s : 1.0 s)',
      '2.00 ms (3.00 ms)',
    ]),
  );
});
