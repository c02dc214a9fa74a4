import { extendedDaemonSetLabels as labels } from '@atoll/api';
import type { ContainerStatus, Pod, Stored } from '@atoll/kube';
import { describe, expect, it } from 'vitest';
import { resolveSettings } from '../overrides/resolve-settings.ts';
import { agent, ago, node, nodesNamed, now, podOn, replicaSet } from '../extended-daemon-set.fixture.ts';
import { fleetView } from './fleet-view.ts';

const [active, canary] = [replicaSet(1), replicaSet(2)];

function viewOf(pods: readonly Stored<Pod>[], nodes = nodesNamed('a', 'b')) {
  return fleetView(agent('agent:2'), [active, canary], pods, nodes, resolveSettings([], nodes), now);
}

describe('candidates of a canary', () => {
  it('are nodes that are there, or away', () => {
    const going = node('going');
    const nodes = [
      node('a'),
      node('away', { awaySince: ago(60) }),
      node('tainted', { taints: [{ key: 'mine', effect: 'NoSchedule' }] }),
      { ...going, metadata: { ...going.metadata, deletionTimestamp: ago(1) } },
    ];
    const view = viewOf([], nodes);
    expect(view.candidates(canary).nodes.map(({ metadata }) => metadata.name)).toEqual(['a', 'away']);
    // A node that is being deleted is as one that is gone.
    expect(['tainted', 'going'].map(view.eligibilityFor(canary))).toEqual(['tainted', undefined]);
  });

  it('are compared by the restarts of all pods that are still there', () => {
    const { restartsOn } = viewOf([
      podOn('a', active, { restarts: 1 }),
      podOn('a', active, { name: 'failed', phase: 'Failed', restarts: 2 }),
      podOn('a', active, { name: 'ending', ending: true, restarts: 4 }),
    ]).candidates(canary);
    expect([restartsOn('a'), restartsOn('b')]).toEqual([7, 0]);
  });

  const waiting = { waiting: { reason: 'ContainerCreating' } };
  it.each<[string, boolean, Partial<ContainerStatus>]>([
    ['runs', true, { state: { running: { startedAt: ago(1) } } }],
    ['is ready', true, { ready: true, state: waiting }],
    ['has ended', true, { state: { terminated: { exitCode: 0 } } }],
    ['was restarted', true, { restartCount: 1, state: waiting }],
    ['waits for its image', false, { state: waiting }],
  ])('have started where a container of a canary pod %s: %s', (_, expected, status) => {
    const started = (of: typeof active, more: Readonly<Record<string, string>> = {}) => {
      const pod = podOn('a', of);
      const one = { name: 'agent', image: 'x', imageID: 'x', ready: false, restartCount: 0, ...status };
      const found = { ...pod, metadata: { ...pod.metadata, labels: more } };
      const given = { ...found, status: { ...pod.status, containerStatuses: [one] } } as Stored<Pod>;
      return viewOf([given]).candidates(canary).hasStarted('a');
    };
    // Also one of the canary before, on whose nodes the next one is tried.
    const before = { [labels.canary]: 'true' };
    expect([started(canary), started(active, before), started(active)]).toEqual([expected, expected, false]);
  });
});
