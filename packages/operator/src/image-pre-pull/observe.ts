import { controllerOf, daemonSets as daemonSetResource } from '@atoll/kube';
import type { ControllerRevision, DaemonSet, Job, ObjectKey, Pod, Stored } from '@atoll/kube';
import type { Readers } from '../caches.ts';
import { ownedBy } from '../children/ownership/owned-by.ts';
import { nothingRefused, type RefusedTrials } from '../engine/refused-trials.ts';
import { hasPullCondition } from './pull-request.ts';

export interface PrePullSnapshot {
  /** The pod whose next images are asked for. */
  readonly pod: Stored<Pod>;
  /** False while a cache has not been filled: then nothing that is absent proves anything. */
  readonly certain: boolean;
  /** Its DaemonSet; undefined: gone, or another one of that name. */
  readonly daemonSet: Stored<DaemonSet> | undefined;
  /** Revisions of the DaemonSet. */
  readonly history: readonly Stored<ControllerRevision>[];
  /** Ours, owned by the pod, each with its pods. */
  readonly pulls: readonly Pull[];
  /** Jobs that the API server refused, by name. */
  readonly refused: RefusedTrials;
}

/** A Job that pulls images, and its pods. */
export interface Pull {
  readonly job: Stored<Job>;
  readonly pods: readonly Stored<Pod>[];
}

export type PrePullReaders = Pick<
  Readers,
  'daemonSetPods' | 'daemonSets' | 'controllerRevisions' | 'pullJobs' | 'pullPods'
>;

/** undefined: the pod is gone, or nobody asked for images and no Job of ours is left. */
export function observe(
  readers: PrePullReaders,
  key: ObjectKey,
  refused: RefusedTrials = nothingRefused,
): PrePullSnapshot | undefined {
  const { daemonSetPods, daemonSets, controllerRevisions, pullJobs, pullPods } = readers;
  const pod = daemonSetPods.get(key);
  if (pod === undefined) return undefined;
  const found = ownedBy(pullJobs, pod);
  if (found.length === 0 && !hasPullCondition(pod)) return undefined;
  const owner = controllerOf(pod);
  const named =
    owner?.kind === daemonSetResource.kind
      ? daemonSets.get({ namespace: key.namespace ?? '', name: owner.name })
      : undefined;
  const daemonSet = named?.metadata.uid === owner?.uid ? named : undefined;
  return {
    pod,
    certain: [daemonSetPods, daemonSets, controllerRevisions, pullJobs, pullPods].every(
      ({ synced }) => synced,
    ),
    daemonSet,
    history: daemonSet === undefined ? [] : ownedBy(controllerRevisions, daemonSet),
    pulls: found.map((job) => ({ job, pods: ownedBy(pullPods, job) })),
    refused,
  };
}
