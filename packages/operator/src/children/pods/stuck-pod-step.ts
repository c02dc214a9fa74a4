import type { Instant, KubeObject, Pod, Resource, StatefulSet, Stored } from '@atoll/kube';
import { deletion } from '../../engine/deletion.ts';
import type { Step } from '../../engine/step.ts';
import type { OwnedChild } from '../child.ts';
import type { ChildHealth } from '../child-health.ts';
import { stuckPodOf } from './stuck-pod.ts';

/** A child that may wait for a broken pod, and how people call it. */
export interface WaitingChild extends OwnedChild {
  readonly health: ChildHealth | undefined;
  readonly pods: readonly Stored<Pod>[];
  /** The cache of pods that they are from. */
  readonly resource: Resource<KubeObject>;
  readonly target: string;
  /** For people: `pool north`, `subset a`. */
  readonly place: string;
  readonly eventReason: string;
}

export interface StuckPodStep {
  readonly step?: Step;
  readonly lookAgainAt?: Instant;
}

/** Frees a child that is a StatefulSet of the one broken pod that it waits for, and says when to look again. */
export function stuckPodStep(child: WaitingChild, now: Instant): StuckPodStep {
  const { kind, health, pods, resource, target, place, eventReason } = child;
  if (kind !== 'StatefulSet' || health === undefined) return {};
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
  const { pod, lookAgainAt } = stuckPodOf({ pods, updateRevision, partition }, now);
  if (pod === undefined) return lookAgainAt === undefined ? {} : { lookAgainAt };
  const { name } = pod.metadata;
  const step: Step = {
    ...deletion(resource, pod, { asSeen: true }),
    target,
    ifRefused: 'PodRefused',
    eventReason,
    why: {
      word: 'PodStuck',
      message: `pod ${name} of ${place} is not ready and of an older template; StatefulSet ${child.object.metadata.name} would wait for it for ever`,
    },
  };
  return { step };
}
