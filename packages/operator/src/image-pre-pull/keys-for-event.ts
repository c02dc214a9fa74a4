import { controllerOf, formatKey, keyOf, pods } from '@atoll/kube';
import type { CacheEvent, Job, KubeObject, Pod, Reader } from '@atoll/kube';
import { ownerKey } from '../children/keys-for-child.ts';
import { hasPullCondition } from './pull-request.ts';

/** A pod enqueues itself while it asks for a pull, or shows the answer, and when it ceases to. */
export function keysForPod(event: CacheEvent<Pod>): readonly string[] {
  const matters = hasPullCondition(event.object) || (event.type === 'updated' && hasPullCondition(event.old));
  return matters ? [formatKey(keyOf(event.object))] : [];
}

/** A Job enqueues the pod that it pulls for. */
export function keysForJob({ object }: CacheEvent<KubeObject>): readonly string[] {
  return keysOfOwner(object);
}

/** So does a pod of such a Job. */
export function keysForPullPod(jobs: Reader<Job>, { object }: CacheEvent<Pod>): readonly string[] {
  const { namespace = '' } = object.metadata;
  const owner = controllerOf(object);
  const job = owner === undefined ? undefined : jobs.get({ namespace, name: owner.name });
  return job === undefined ? [] : keysOfOwner(job);
}

/** A DaemonSet enqueues its pods that ask: their request waits until the template that they name is recorded. */
export function keysForDaemonSet(asking: Reader<Pod>, { object }: CacheEvent<KubeObject>): readonly string[] {
  return askingPods(asking, object.metadata.uid);
}

/** So does a revision of it. */
export function keysForRevision(asking: Reader<Pod>, { object }: CacheEvent<KubeObject>): readonly string[] {
  const owner = controllerOf(object);
  return owner === undefined ? [] : askingPods(asking, owner.uid);
}

function keysOfOwner(object: KubeObject): readonly string[] {
  const key = ownerKey(pods, object);
  return key === undefined ? [] : [key];
}

function askingPods(asking: Reader<Pod>, uid: string): readonly string[] {
  return asking
    .by('owner', uid)
    .filter(hasPullCondition)
    .map((pod) => formatKey(keyOf(pod)));
}
