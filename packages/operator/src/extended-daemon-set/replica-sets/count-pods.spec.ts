import { extendedDaemonSetLabels as labels } from '@atoll/api';
import type { Pod, Stored } from '@atoll/kube';
import { expect, it } from 'vitest';
import { podOn, replicaSet } from '../extended-daemon-set.fixture.ts';
import { podsByNode } from '../fleet/pods-by-node.ts';
import { countControlled, countWithRestored } from './count-pods.ts';

function restored(pod: Stored<Pod>, of: string): Stored<Pod> {
  const { ownerReferences: _, ...metadata } = pod.metadata;
  return { ...pod, metadata: { ...metadata, labels: { [labels.replicaSet]: of } } };
}

it('pods of a template are those of each replica set that has it; those that a tool restores are counted apart', () => {
  const [first, second] = [replicaSet(1), replicaSet(2)];
  const alike = replicaSet(1, { name: 'agent-1-b' });
  const live = [first, alike, second];
  const pods = podsByNode([
    podOn('a', first),
    podOn('b', alike),
    podOn('c', second),
    restored(podOn('d', first), 'agent-1-b'),
    restored(podOn('e', first), 'agent-7'),
  ]);
  expect(live.map((each) => countControlled(each, live, pods))).toEqual([2, 2, 1]);
  expect(live.map((each) => countWithRestored(each, live, pods))).toEqual([3, 3, 1]);
});
