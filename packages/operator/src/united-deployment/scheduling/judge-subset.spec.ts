import { expect, it } from 'vitest';
import type { Child } from '../subsets/child.ts';
import { standingOfSubset, type Judgement } from './judge-subset.ts';
import type { SubsetPod } from './subset-pods.ts';

function pod(ordinal: number, ready: boolean, metadata: object = {}): SubsetPod {
  const conditions = [{ type: 'Ready', status: ready ? 'True' : 'False' }];
  return {
    metadata: { name: `web-a-${ordinal}`, uid: `uid-${ordinal}`, ...metadata },
    status: { phase: 'Running', conditions },
  } as unknown as SubsetPod;
}

it('a scale-in of a StatefulSet without room keeps every ordinal up to the last pod that is ready', () => {
  const object = { metadata: { name: 'web-a' }, spec: { replicas: 4 }, status: { readyReplicas: 1 } };
  const child = { kind: 'StatefulSet', object } as unknown as Child;
  const judged = { mode: 'adaptive', judgement: { unschedulable: true, marked: true } } as Judgement;
  const pods = [pod(0, false), pod(1, false), pod(2, true), pod(3, false)];
  expect(standingOfSubset({ child, pods }, judged)?.readyReplicas).toBe(3);
});

it.each([
  ['as long as its place counts', ['uid-1'], 2],
  ['not longer', [], 1],
])(
  'a pod of a StatefulSet that ends keeps the place of its successor beside one that is stuck, %s',
  (_, endingPods, kept) => {
    const object = { metadata: { name: 'web-a' }, spec: { replicas: 3 }, status: { readyReplicas: 1 } };
    const child = { kind: 'StatefulSet', object } as unknown as Child;
    const judgement = { unschedulable: true, marked: true, stuckPods: 1, endingPods };
    const judged = { mode: 'adaptive', judgement } as unknown as Judgement;
    const pods = [pod(0, true), pod(1, true, { deletionTimestamp: '2026-01-01T12:00:00Z' }), pod(2, false)];
    expect(standingOfSubset({ child, pods }, judged)?.scheduledReplicas).toBe(kept);
  },
);
