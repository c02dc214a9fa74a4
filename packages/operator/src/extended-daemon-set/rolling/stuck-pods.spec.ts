import type { Instant, Node, Pod, Stored } from '@atoll/kube';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decide } from '../decide.ts';
import {
  agent,
  ago,
  node,
  nodesNamed,
  now,
  podOn,
  replicaSet,
  snapshotOf,
} from '../extended-daemon-set.fixture.ts';

const [old, current] = [replicaSet(1), replicaSet(2)];
const minute = 60_000;

interface Limits {
  readonly maxUnavailable?: number;
  readonly maxPodSchedulerFailure?: number;
}

/** The second template is the active one, and rolls out. */
function decided(
  limits: Limits,
  nodes: readonly Stored<Node>[],
  pods: readonly Stored<Pod>[],
  at: Instant = now,
) {
  const rollingUpdate = { slowStartIntervalDuration: '1ms', slowStartAdditiveIncrease: 250, ...limits };
  const object = agent('agent:2', {
    strategy: { reconcileFrequency: '0s', rollingUpdate },
    status: { activeReplicaSet: 'agent-2' },
  });
  const { fleet, holds } = decide(snapshotOf({ object, replicaSets: [old, current], nodes, pods }), at);
  const names = (some: readonly { readonly target: { readonly id: string } }[] = []) =>
    some.map(({ target }) => target.id);
  return { deleted: names(fleet?.active?.deleted), created: names(fleet?.active?.created), holds };
}

/** Days of a rollout on nodes that are Ready. `fails`: what becomes of a node's pod when it is replaced. */
function leastAvailable(limits: Limits, fails: readonly ('not' | 'unscheduled' | 'does not end')[]): number {
  const named = fails.map((how, index) => ({ how, name: `n${index}` }));
  const nodes = nodesNamed(...named.map(({ name }) => name));
  const pods = new Map(named.map(({ name }) => [name, podOn(name, old)]));
  const howOf = (name: string) => named.find((each) => each.name === name)?.how;
  let least = nodes.length;
  for (let at = now; at < now + 300 * minute; at += 3 * minute) {
    const made = ago((now - at) / 1000);
    const { deleted, created } = decided(limits, nodes, [...pods.values()], at);
    for (const name of deleted) {
      const ending = podOn(name, old, { ending: true });
      if (howOf(name) !== 'does not end') pods.delete(name);
      else pods.set(name, { ...ending, metadata: { ...ending.metadata, deletionTimestamp: made } });
    }
    for (const name of created) {
      const isUnscheduled = howOf(name) === 'unscheduled';
      pods.set(name, podOn(name, current, { created: made, bound: !isUnscheduled, ready: !isUnscheduled }));
    }
    const available = [...pods.values()].filter(
      ({ metadata, status }) =>
        metadata.deletionTimestamp === undefined &&
        status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true,
    );
    least = Math.min(least, available.length);
  }
  return least;
}

describe('a template that no node can take', () => {
  it('takes no more nodes than maxUnavailable and maxPodSchedulerFailure allow, however long it waits', () => {
    const how = fc.constantFrom('not' as const, 'unscheduled' as const, 'does not end' as const);
    fc.assert(
      fc.property(
        fc.array(how, { minLength: 1, maxLength: 6 }),
        fc.integer({ min: 1, max: 2 }),
        fc.nat(2),
        (fails, maxUnavailable, maxPodSchedulerFailure) => {
          const least = leastAvailable({ maxUnavailable, maxPodSchedulerFailure }, fails);
          expect(fails.length - least).toBeLessThanOrEqual(maxUnavailable + maxPodSchedulerFailure);
        },
      ),
      { numRuns: 50 },
    );
  });

  it('goes on past as many nodes as maxPodSchedulerFailure says, after ten minutes', () => {
    const nodes = nodesNamed('a', 'b', 'c');
    const waiting = (name: string, seconds: number) =>
      podOn(name, current, { bound: false, ready: false, created: ago(seconds) });
    const one = { maxPodSchedulerFailure: 1 };
    const rest = [podOn('b', old), podOn('c', old)];
    expect(decided(one, nodes, [waiting('a', 599), ...rest]).deleted).toEqual([]);
    expect(decided(one, nodes, [waiting('a', 601), ...rest]).deleted).toEqual(['b']);
    expect(decided({}, nodes, [waiting('a', 6001), ...rest]).deleted).toEqual([]);
    const two = [waiting('a', 6001), waiting('b', 6001), podOn('c', old)];
    expect(decided(one, nodes, two).deleted).toEqual([]);
  });

  it('leaves room for a node that is away, as long as that is not tolerated too', () => {
    const waiting = podOn('a', current, { bound: false, ready: false, created: ago(6001) });
    const nodes = [node('a'), node('b', { awaySince: ago(61) }), node('c')];
    const pods = [waiting, podOn('b', old, { ending: true }), podOn('c', old)];
    expect(decided({ maxPodSchedulerFailure: 1 }, nodes, pods).deleted).toEqual([]);
    expect(decided({ maxPodSchedulerFailure: 2 }, nodes, pods).deleted).toEqual(['c']);
  });

  it('is named with its nodes and with what the scheduler answered', () => {
    const words = '0/3 nodes are available: 1 Insufficient cpu, 2 node(s) did not match. preemption: none';
    const pods = ['a', 'b'].map((name) => {
      const pod = podOn(name, current, { bound: false, ready: false, created: ago(700) });
      const scheduled = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: words };
      return { ...pod, status: { phase: 'Pending', conditions: [scheduled] } };
    });
    const { holds } = decided({}, nodesNamed('a', 'b', 'c'), [...pods, podOn('c', old)]);
    const [first, ...rest] = holds;
    expect(first).toMatchObject({ reason: 'PodsUnschedulable', waitsFor: 'nodes', targets: ['a', 'b'] });
    expect(first?.problem).toMatch(/^pod agent-2-a: no node can take it: 0\/3 nodes are available: 1 Insuff/);
    expect(rest.map(({ reason, targets }) => [reason, targets])).toEqual([['MaxUnavailableReached', ['c']]]);
  });
});
