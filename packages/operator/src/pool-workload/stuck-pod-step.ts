import type { Instant, KubeObject, Pod, Resource, StatefulSet, Stored } from '@atoll/kube';
import { statefulPods } from '../caches.ts';
import { stuckPodOf } from '../engine/children/stuck-pod.ts';
import type { Step } from '../engine/step.ts';
import type { PoolDecision } from './decide.ts';

/** Frees a child that is a StatefulSet of the one broken pod that it waits for, and says when to look again. */
export function stuckPodStep(
  { pool, child, health }: PoolDecision,
  pods: readonly Stored<Pod>[],
  now: Instant,
): { readonly step?: Step; readonly lookAgainAt?: Instant } {
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
  const { pod, lookAgainAt } = stuckPodOf({ pods, updateRevision, partition }, now);
  if (pod === undefined) return lookAgainAt === undefined ? {} : { lookAgainAt };
  const { name, namespace = '', uid, resourceVersion } = pod.metadata;
  const step: Step = {
    do: 'delete',
    resource: statefulPods as Resource<KubeObject>,
    key: { namespace, name },
    uid,
    // Its status is the reason, so it must still be the one that was seen.
    resourceVersion,
    propagation: 'Background',
    target: pool.name,
    ifRefused: 'PodRefused',
    eventReason: 'Failed UpdateWorkload',
    why: {
      word: 'PodStuck',
      message: `pod ${name} of pool ${pool.name} is not ready and of an older template; StatefulSet ${child.object.metadata.name} would wait for it for ever`,
    },
  };
  return { step };
}
