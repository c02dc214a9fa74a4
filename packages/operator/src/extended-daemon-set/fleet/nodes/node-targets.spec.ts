import { extendedDaemonSetAnnotations as annotations } from '@atoll/api';
import type { Node, Pod, Stored } from '@atoll/kube';
import { describe, expect, it } from 'vitest';
import { agent, ago, node, now, podOn, replicaSet, template } from '../../extended-daemon-set.fixture.ts';
import { podOverrides } from '../../overrides/pod-overrides.ts';
import { nodeTargets } from './node-targets.ts';
import { podsByNode } from '../pods-by-node.ts';

const [set, older] = [replicaSet(2), replicaSet(1)];
const here = node('a');
const away = node('a', { awaySince: ago(60) });
const awaySince = now - 60_000;

function targetOf(
  on: Stored<Node>,
  pods: readonly Stored<Pod>[],
  eligibility: 'eligible' | 'away' = on === away ? 'away' : 'eligible',
) {
  const [found] = nodeTargets({
    replicaSet: set,
    misplaced: new Map(),
    withStaying: false,
    same: new Set([set.metadata.uid]),
    nodes: [{ node: on, eligibility }],
    pods: podsByNode(pods),
    overrides: (each) => podOverrides(template('agent:2'), agent('agent:2').metadata, each, undefined),
    now,
  });
  if (found === undefined) throw new Error('there is no target');
  const { target, ...more } = found;
  return { ...more, health: target.health, reach: target.reach };
}

describe('a pod on a node that is away', () => {
  it('is not Ready, whatever its status was when the node went', () => {
    expect(targetOf(here, [podOn('a', set)])).toMatchObject({ ready: true, reach: 'reachable' });
    expect(targetOf(away, [podOn('a', set)])).toMatchObject({ ready: false, reach: { awaySince } });
  });

  it('of an older template takes nothing from the budget, which is for what we end', () => {
    const outdated = podOn('a', older, { ready: false });
    expect(targetOf(away, [outdated]).health).toBe('healthy');
    expect(targetOf(here, [outdated]).health).not.toBe('healthy');
  });

  it('of the template does: we may have ended the one before it', () => {
    expect(targetOf(away, [podOn('a', set, { ready: false })]).health).not.toBe('healthy');
  });

  it('counts as away where it is Ready and no pod can be made there yet', () => {
    expect(targetOf(here, [podOn('a', set)], 'away').reach).toEqual({ awaySince: now });
  });
});

describe('a pod that is not scheduled', () => {
  const waiting = (of: typeof set, seconds: number) =>
    podOn('a', of, { bound: false, ready: false, created: ago(seconds) });

  it('makes its node unresponsive after 10 minutes, and time alone shows that', () => {
    const soon = { isUnresponsive: false, reach: 'reachable', changesAt: now + 1_000 };
    expect(targetOf(here, [waiting(set, 599)])).toMatchObject(soon);
    const stuck = { isUnresponsive: true, reach: 'reachable', stuckSince: now - 600_000 };
    expect(targetOf(here, [waiting(set, 600)])).toMatchObject(stuck);
  });

  it('is replaced like any other where it is of an older template (BUG-18)', () => {
    const stuck = { isUnresponsive: true, reach: 'reachable', matches: false };
    expect(targetOf(here, [waiting(older, 900)])).toMatchObject(stuck);
    expect(targetOf(here, [waiting(older, 900)]).stuckSince).toBeUndefined();
  });

  it('does not hide since when its node is away', () => {
    const stuck = targetOf(away, [waiting(set, 900)]);
    expect(stuck.reach).toEqual({ awaySince });
    expect(stuck.stuckSince).toBeUndefined();
  });
});

describe('a pod that is being deleted', () => {
  const ending = (seconds: number, grace?: number) => {
    const pod = podOn('a', older, { ending: true });
    const { deletionGracePeriodSeconds: _, ...metadata } = pod.metadata;
    const given = grace === undefined ? {} : { deletionGracePeriodSeconds: grace };
    return { ...pod, metadata: { ...metadata, ...given, deletionTimestamp: ago(seconds) } };
  };

  it.each<[string, number, number | undefined]>([
    ['its grace period', 60, 60],
    ['30 s, where it states none', 30, undefined],
  ])('makes its node unresponsive when %s is over once more', (_, seconds, grace) => {
    const soon = { isUnresponsive: false, reach: 'reachable', changesAt: now + 1_000 };
    expect(targetOf(here, [ending(seconds - 1, grace)])).toMatchObject(soon);
    const overdue = { isUnresponsive: true, reach: 'reachable', stuckSince: now };
    expect(targetOf(here, [ending(seconds, grace)])).toMatchObject(overdue);
  });

  it('does not hide since when its node is away', () => {
    expect(targetOf(away, [ending(300)])).toMatchObject({ isUnresponsive: true, reach: { awaySince } });
  });
});

describe('a pod that has failed', () => {
  const failed = (of: typeof set, seconds: number) =>
    podOn('a', of, {
      phase: 'Failed',
      ready: false,
      created: ago(seconds),
      annotations: { [annotations.failedPods]: '1' },
    });

  it('is replaced when its back-off is over, and time alone shows that', () => {
    const held = { replaces: undefined, failures: 0, health: 'broken', changesAt: now + 1_000 };
    expect(targetOf(here, [failed(set, 9)])).toMatchObject(held);
    const due = failed(set, 10);
    expect(targetOf(here, [due])).toMatchObject({ replaces: due, failures: 2 });
  });

  it('is replaced at once where it is of an older template, whose failures are not those of the new one', () => {
    const old = failed(older, 1);
    expect(targetOf(here, [old])).toMatchObject({ replaces: old, failures: 0 });
  });
});
