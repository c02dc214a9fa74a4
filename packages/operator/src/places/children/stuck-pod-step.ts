import { pods as podResource } from '@atoll/kube';
import type { Instant, Pod, StatefulSet, Stored } from '@atoll/kube';
import { stuckPodOf } from '../../children/pods/stuck-pod.ts';
import { deletion } from '../../engine/steps/deletion.ts';
import type { Step } from '../../engine/step.ts';
import type { PlaceDecision } from '../decide-places.ts';
import type { PlacesKind } from '../places-kind.ts';

export interface StuckPodStep {
  readonly step?: Step;
  readonly requeueAt?: Instant;
}

/** Frees the child of a place that is a StatefulSet of the one broken pod that it waits for, and returns when to requeue. */
export function stuckPodStep(
  { place: called, eventReason }: Pick<PlacesKind, 'place' | 'eventReason'>,
  { place, child, health }: PlaceDecision,
  pods: readonly Stored<Pod>[],
  now: Instant,
): StuckPodStep {
  if (child?.kind !== 'StatefulSet' || health === undefined) return {};
  const { spec, status } = child.object as unknown as StatefulSet;
  const { updateStrategy, podManagementPolicy = 'OrderedReady' } = spec ?? {};
  const updateRevision = status?.updateRevision;
  const rolls =
    health.observed &&
    !health.updated &&
    updateStrategy?.type !== 'OnDelete' &&
    podManagementPolicy === 'OrderedReady';
  if (!rolls || updateRevision === undefined) return {};
  const partition = updateStrategy?.rollingUpdate?.partition ?? 0;
  const firstOrdinal = spec?.ordinals?.start ?? 0;
  const { pod, requeueAt } = stuckPodOf({ pods, updateRevision, partition, firstOrdinal }, now);
  if (pod === undefined) return requeueAt === undefined ? {} : { requeueAt };
  const { name } = pod.metadata;
  const step: Step = {
    ...deletion(podResource, pod, { asSeen: true }),
    target: place.name,
    ifRefused: 'PodRefused',
    eventReason,
    why: {
      word: 'PodStuck',
      message: `pod ${name} of ${called} ${place.name} is not ready and of an older template: it is deleted, because StatefulSet ${child.object.metadata.name} would wait for it for ever`,
    },
  };
  return { step };
}
