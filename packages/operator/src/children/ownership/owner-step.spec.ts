import { expect, test } from 'vitest';
import { deployments, type KubeObject, type Resource, type Stored } from '@atoll/kube';
import type { StepResult } from '../../engine/step.ts';
import { ownerStep, takenOver } from './owner-step.ts';

const object = {
  metadata: { name: 'web', namespace: 'ns', uid: 'u', resourceVersion: '1' },
} as Stored<KubeObject>;

function changed(
  target: string,
  does: 'take-over' | 'release-replicas',
  did: 'done' | 'skipped',
): StepResult {
  const child = {
    resource: deployments as Resource<KubeObject>,
    object,
    target,
    place: `pool ${target}`,
    eventReason: 'Failed UpdateWorkload',
  };
  const step = ownerStep(child, { does, operations: [] });
  return did === 'done' ? { step, did } : { step, did, because: 'stopping' };
}

test('a child that became ours in this reconcile is still to be compared; one that was let go, or not written, is not', () => {
  const results = [
    changed('north', 'take-over', 'done'),
    changed('south', 'release-replicas', 'done'),
    changed('west', 'take-over', 'skipped'),
  ];
  expect([...takenOver({ results })]).toEqual(['north']);
});
