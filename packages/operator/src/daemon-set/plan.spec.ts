import { daemonSetUpdate } from '@atoll/api';
import { describe, expect, it } from 'vitest';
import { isAsPlanned } from '../engine/plan.ts';
import { agent, node, now, podOn, snapshotOf, upgraded } from './daemon-set.fixture.ts';
import { decide } from './decide.ts';
import { plan } from './plan.ts';

const { annotations } = daemonSetUpdate;
const nodes = [node('a'), node('b')];
const pods = [podOn('a'), podOn('b')];

function planned(change: Parameters<typeof snapshotOf>[0] = {}) {
  const snapshot = snapshotOf({ nodes, pods, ...change });
  return plan(snapshot, decide(snapshot, now), now);
}

function stepsOf({ stages }: ReturnType<typeof plan>) {
  return stages.flatMap(({ steps }) => steps);
}

describe('the plan of an upgrade', () => {
  it('has no stage without a step', () => {
    expect(planned().stages.map(({ name }) => name)).toEqual(['delete outdated pods']);
    expect(planned({ pods: [podOn('a', upgraded), podOn('b', upgraded)] }).stages).toEqual([]);
  });

  it('evicts where PodDisruptionBudgets are to be kept, and deletes otherwise', () => {
    const asked = { [annotations.respectDisruptionBudgets]: 'true' };
    expect(stepsOf(planned({ object: agent(asked) }))).toMatchObject([
      { do: 'delete', target: 'a', evict: true },
    ]);
    expect(stepsOf(planned())[0]).not.toHaveProperty('evict');
  });

  it('marks what was refused before, and nothing else, as tried again', () => {
    const snapshot = snapshotOf({ nodes, pods });
    const { upgrade, ...decision } = decide(snapshot, now);
    const refused = upgrade && { ...upgrade, outdated: [], outdatedAgain: upgrade.outdated };
    expect(stepsOf(plan(snapshot, { ...decision, upgrade: refused }, now))).toMatchObject([
      { target: 'a', isRetry: true },
    ]);
    expect(stepsOf(planned())[0]).not.toHaveProperty('isRetry');
  });

  it('calls a hold passing that every rollout goes through, and none that waits for a person', () => {
    const shown = (change: Parameters<typeof snapshotOf>[0]) =>
      planned(change).holds.map(({ reason, passing = false }) => [reason, passing]);
    expect(shown({})).toEqual([['MaxUnavailableReached', true]]);
    expect(shown({ pods: [podOn('a', { ...upgraded, ready: false }), podOn('b', upgraded)] })).toEqual([
      ['WaitingForReady', true],
    ]);
    expect(shown({ object: agent({ [annotations.rolloutPaused]: 'true' }) })).toEqual([['Paused', false]]);
  });

  it.each([
    annotations.updateStrategy,
    annotations.upgradeStrategy,
    annotations.maxUnavailable,
    annotations.rolloutPaused,
    annotations.respectDisruptionBudgets,
    annotations.awayNodeCountsSeconds,
    annotations.templateGeneration,
  ])('is dropped where somebody has changed the annotation %s meanwhile', (name) => {
    const [ofOwner] = planned().guards ?? [];
    const isKept = (live: ReturnType<typeof agent>): boolean | undefined =>
      ofOwner && isAsPlanned(ofOwner, live);
    expect(isKept(agent())).toBe(true);
    expect(isKept(agent({ 'example.test/note': 'other' }))).toBe(true);
    expect(isKept(agent({ [name]: 'other' }))).toBe(false);
  });
});
