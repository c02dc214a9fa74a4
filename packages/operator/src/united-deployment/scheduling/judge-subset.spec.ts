import { expect, it } from 'vitest';
import type { Child } from '../child.ts';
import { standingOfSubset, type Judgement } from './judge-subset.ts';
import type { SubsetPod } from './subset-pods.ts';

function pod(ordinal: number, ready: boolean): SubsetPod {
  const conditions = [{ type: 'Ready', status: ready ? 'True' : 'False' }];
  return {
    metadata: { name: `web-a-${ordinal}` },
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
