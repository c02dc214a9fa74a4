import { extendedDaemonSetReplicaSets } from '@atoll/api';
import { seenAs } from '../../engine/steps/seen.ts';
import type { Step } from '../../engine/step.ts';
import type { FormerPod } from '../adoption/former-pods.ts';

/**
 * The steps, with what the deletion of a pod rests on whose replica set is gone: a cache may be behind, so that is looked at live directly
 * before.
 */
export function restOnReplicaSet(steps: readonly Step[], former: readonly FormerPod[]): readonly Step[] {
  if (former.length === 0) return steps;
  const byUid = new Map(former.map((each) => [each.pod.metadata.uid, each]));
  return steps.map((step) => {
    const pod = step.do === 'delete' ? byUid.get(step.uid) : undefined;
    if (pod === undefined) return step;
    const { namespace = '' } = pod.pod.metadata;
    const seen = seenAs(extendedDaemonSetReplicaSets, { namespace, name: pod.of }, pod.found);
    return { ...step, restsOn: [...(step.restsOn ?? []), seen] };
  });
}
