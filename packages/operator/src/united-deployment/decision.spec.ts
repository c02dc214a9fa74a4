import { describe, expect, it } from 'vitest';
import { isComplete, isFullyUpdated, type SubsetDecision } from './decision.ts';

const health = {
  replicas: 3,
  readyReplicas: 3,
  updatedReplicas: 3,
  availableReplicas: 3,
  observed: true,
  updated: true,
  available: true,
};
const pod = (ready: boolean) => ({
  status: { conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] },
});
const complete = {
  target: { at: { revision: 'v2' }, wanted: 'v2' },
  child: { object: { spec: { replicas: 3 } } },
  health,
  judgement: undefined,
  replicas: 3,
  pods: [pod(true), pod(true), pod(true)],
};

function subset(change: object): SubsetDecision {
  return { ...complete, ...change } as unknown as SubsetDecision;
}

describe('nothing is left to do for a subset', () => {
  it.each([
    ['whose pods are all of the wanted revision and available', {}],
    ['of a kind whose pods are not read', { pods: [] }],
    [
      'of which pods are reserved that others stand in for',
      {
        health: { ...health, availableReplicas: 1, readyReplicas: 1 },
        judgement: { reservedPods: 2, marked: true },
      },
    ],
  ])('%s', (_, change) => {
    expect(isComplete(subset(change))).toBe(true);
  });
});

describe('something is left to do for a subset', () => {
  it.each([
    ['that runs another revision', { target: { at: { revision: 'v1' }, wanted: 'v2' } }],
    ['that has no child', { child: undefined, health: undefined, target: { at: 'nothing', wanted: 'v2' } }],
    // Available are more than enough, and yet the child is to have fewer.
    ['whose child is asked for more pods than allocated', { child: { object: { spec: { replicas: 5 } } } }],
    ['whose child is asked for fewer', { child: { object: { spec: { replicas: 2 } } } }],
    ['whose pods are not all of the revision', { health: { ...health, updated: false } }],
    ['whose pods are updated and not all available', { health: { ...health, availableReplicas: 2 } }],
    ['whose controller has not seen the last change', { health: { ...health, observed: false } }],
    [
      'of which pods are reserved that others do not stand in for yet',
      {
        health: { ...health, availableReplicas: 1, readyReplicas: 1 },
        judgement: { reservedPods: 2, marked: false },
        pods: [pod(true), pod(false), pod(false)],
      },
    ],
    ['of which more pods are ready than have been read', { pods: [pod(true), pod(false)] }],
  ])('%s', (_, change) => {
    expect(isComplete(subset(change))).toBe(false);
  });
});

it('a subset of which a partition holds pods back is complete and not fully updated', () => {
  const held = subset({ health: { ...health, updatedReplicas: 1 } });
  expect([isComplete(held), isFullyUpdated(held), isFullyUpdated(subset({}))]).toEqual([true, false, true]);
});
