import { labels } from '@atoll/api';
import { pods as podResource } from '@atoll/kube';
import type { KubeObject, Resource } from '@atoll/kube';
import { patchAsSeen } from '../../engine/steps/patch-as-seen.ts';
import type { Step } from '../../engine/step.ts';
import type { SubsetDecision } from '../decision.ts';

const pods = podResource as Resource<KubeObject>;

/** Pods that are to be counted otherwise: autoscalers select them by the label. */
export function labelSteps({ place: subset, judgement, pods: present }: SubsetDecision): readonly Step[] {
  return (judgement?.labelPods ?? []).flatMap(({ name, uid, value }): readonly Step[] => {
    const pod = present.find(({ metadata }) => metadata.uid === uid);
    if (pod === undefined) return [];
    // Its status is the reason, so that status must still be the one that was seen (F2).
    const patch = { type: 'merge', body: { metadata: { labels: { [labels.reservedPod]: value } } } } as const;
    const message =
      value === 'true'
        ? `pod ${name} of subset ${subset.name} waits for room or for its update; others stand in for it`
        : `pod ${name} of subset ${subset.name} counts`;
    return [
      {
        ...patchAsSeen(pods, pod, patch),
        target: subset.name,
        ifRefused: 'PodRefused',
        why: { word: value === 'true' ? 'PodReserved' : 'PodCounted', message },
      },
    ];
  });
}
