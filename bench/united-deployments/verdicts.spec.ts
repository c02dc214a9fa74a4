import { expect, test } from 'vitest';
import type { OperatorRound, Rollout, Run, Work } from '../rollout/measurement.ts';
import { span } from '../pace/span.fixture.ts';
import type { Measurement, Scaled } from './measurement.ts';
import { verdictsOf } from './verdicts.ts';
import type { Written } from './written.ts';

type Operator = OperatorRound<Written> & Scaled;

const rollout: Rollout = { childrenMs: 100, podsMs: 1000, bystandersMs: 200, processorMs: {} };

function written(change: Partial<Written>): Written {
  const nothing = { creates: 0, applies: 0, deletes: 0, mostPerChild: 1, children: 50, revisions: 10 };
  return { ...nothing, status: 20, mostStatusPerObject: 2, events: 10, refused: 0, total: 80, ...change };
}

function byOperator(change: Partial<Written>, cpuMs = 3000): Rollout & Work<Written> {
  return {
    childrenMs: 120,
    podsMs: 1050,
    bystandersMs: 200,
    processorMs: {},
    cpu: span(cpuMs),
    seenMs: 900,
    written: written(change),
  };
}

const operator: Operator = {
  syncedAfterMs: 500,
  first: byOperator({ creates: 50 }),
  second: byOperator({ applies: 50 }),
  peakRss: 150e6,
  scale: {
    readyMs: 1000,
    cpu: span(1000),
    seenMs: 900,
    changedSubsets: 20,
    written: written({ applies: 20 }),
  },
};

const run: Run<Operator> = {
  baseline: { first: rollout, second: rollout },
  operator,
};

const calm: Measurement = {
  objects: 10,
  nodes: 60,
  rounds: [run],
  reactions: [{ childWrites: 5, afterMs: 30 }],
  rest: { seconds: 120, writes: 0, cpu: span(240) },
};

function missed(change: Partial<Measurement>): readonly string[] {
  return verdictsOf({ ...calm, ...change })
    .filter(({ met }) => !met)
    .map(({ what }) => what);
}

function withRound(change: Partial<Operator>): Partial<Measurement> {
  return { rounds: [{ ...run, operator: { ...operator, ...change } }] };
}

test('what keeps all promises is met', () => {
  expect(missed({})).toEqual([]);
});

test.each<[string, Partial<Measurement>, string]>([
  [
    'a slow first rollout',
    withRound({ first: { ...operator.first, podsMs: 1151 } }),
    'first rollout: until all pods are Ready',
  ],
  ['a child too many', withRound({ first: byOperator({ creates: 51 }) }), 'first rollout: creates'],
  [
    'a child written twice',
    withRound({ second: byOperator({ applies: 50, mostPerChild: 2 }) }),
    'new image: writes of each child',
  ],
  [
    'a restless status',
    withRound({ first: byOperator({ creates: 50, mostStatusPerObject: 4 }) }),
    'first rollout: status writes of any object',
  ],
  [
    'an object that is seen late',
    withRound({ second: { ...operator.second, seenMs: 5001 } }),
    'new image: every object is seen',
  ],
  ['much memory', withRound({ peakRss: 200e6 }), 'memory, peak'],
  [
    'more writes than changed subsets',
    withRound({ scale: { ...operator.scale, written: written({ applies: 21 }) } }),
    'all scaled: writes of children',
  ],
  [
    'a late child',
    { reactions: [{ childWrites: 5, afterMs: 101 }] },
    'one is scaled: all its children are written',
  ],
  [
    'a child left out',
    { reactions: [{ childWrites: 4, afterMs: 9 }] },
    'one is scaled: all its children are written',
  ],
  ['a write at rest', { rest: { ...calm.rest, writes: 1 } }, 'at rest for 120 s: writes'],
])('%s is missed', (_what, change, expected) => {
  expect(missed(change)).toEqual([expected]);
});
