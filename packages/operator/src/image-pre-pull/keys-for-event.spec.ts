import { controllerRevisions, daemonSets, jobs, keyOf, pods } from '@atoll/kube';
import type { CacheEvent, KubeObject, Pod, Stored } from '@atoll/kube';
import { describe, expect, it } from 'vitest';
import { askingPod } from '../../simulation/examples/asking-pod.ts';
import { createImagePrePullController } from './controller.ts';
import {
  keysForDaemonSet,
  keysForJob,
  keysForPod,
  keysForPullPod,
  keysForRevision,
} from './keys-for-event.ts';

/** A pod that asks for images, and the Job that pulls them. */
function pulling() {
  const { world, daemonSet, pod } = askingPod();
  const key = `edge/${pod.metadata.name}`;
  world.reconcile(createImagePrePullController(world.readers), key);
  const [job] = world.list(jobs);
  if (job === undefined) throw new Error('no Job was made');
  return { world, daemonSet, pod, key, job };
}

function added<T extends KubeObject>(object: Stored<T>): CacheEvent<T> {
  return { type: 'added', object } as CacheEvent<T>;
}

function updated<T extends KubeObject>(old: Stored<T>, object: Stored<T>): CacheEvent<T> {
  return { type: 'updated', old, object } as CacheEvent<T>;
}

/** The pod of a Job, or of somebody else. */
function ownedBy(kind: string, { metadata: { name, uid } }: Stored<KubeObject>): Stored<Pod> {
  const owner = { apiVersion: 'batch/v1', kind, name, uid, controller: true };
  const metadata = { namespace: 'edge', name: `${name}-x`, uid: 'uid-x', resourceVersion: '1' };
  return {
    metadata: { ...metadata, creationTimestamp: '2026-11-01T10:00:00Z', ownerReferences: [owner] },
    spec: { nodeName: 'n1', containers: [] },
  };
}

describe('a pod that asks for images is enqueued', () => {
  const { world, daemonSet, pod, key, job } = pulling();
  const silent = { ...pod, status: { ...pod.status, conditions: [] } };

  it('by itself: when it asks, while it does, and when it ceases to', () => {
    expect(keysForPod(added(pod))).toEqual([key]);
    expect(keysForPod(updated(silent, pod))).toEqual([key]);
    expect(keysForPod(updated(pod, silent))).toEqual([key]);
    expect(keysForPod(updated(silent, silent))).toEqual([]);
    expect(keysForPod(added(silent))).toEqual([]);
  });

  it('by its Job, also where that is deleted, and by no other Job', () => {
    expect(keysForJob(added(job))).toEqual([key]);
    expect(keysForJob({ type: 'deleted', object: job } as CacheEvent<KubeObject>)).toEqual([key]);
    const { ownerReferences: _, ...metadata } = job.metadata;
    expect(keysForJob(added({ ...job, metadata }))).toEqual([]);
  });

  it('by the pod of its Job, whose images are there before the Job ends', () => {
    expect(keysForPullPod(world.readers.pullJobs, added(ownedBy('Job', job)))).toEqual([key]);
    expect(keysForPullPod(world.readers.pullJobs, added(ownedBy('Job', daemonSet)))).toEqual([]);
    expect(keysForPullPod(world.readers.pullJobs, added(pod))).toEqual([]);
  });

  it('by its DaemonSet and by a revision of that: its request waits until the template is recorded', () => {
    const { daemonSetPods } = world.readers;
    const [revision] = world.list(controllerRevisions);
    expect(keysForDaemonSet(daemonSetPods, added(daemonSet))).toEqual([key]);
    expect(revision && keysForRevision(daemonSetPods, added(revision))).toEqual([key]);
    const another = { ...daemonSet, metadata: { ...daemonSet.metadata, uid: 'uid-another' } };
    expect(keysForDaemonSet(daemonSetPods, added(another))).toEqual([]);
  });
});

it('a pod that asks for nothing is not enqueued by its DaemonSet', () => {
  const { world, daemonSet, pod } = askingPod();
  world.edit(pods, keyOf(pod), (found) => ({ ...found, status: { ...found.status, conditions: [] } }));
  expect(
    keysForDaemonSet(world.readers.daemonSetPods, added(world.get(daemonSets, keyOf(daemonSet)))),
  ).toEqual([]);
});
