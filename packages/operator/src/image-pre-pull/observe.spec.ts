import { daemonSets, jobs, keyOf, pods } from '@atoll/kube';
import { describe, expect, it } from 'vitest';
import { askingPod } from '../../simulation/examples/asking-pod.ts';
import { createImagePrePullController } from './controller.ts';
import { observe } from './observe.ts';

/** A pod whose images are pulled, and what is seen of it. */
function pulling() {
  const { world, daemonSet, pod } = askingPod();
  const key = keyOf(pod);
  world.reconcile(createImagePrePullController(world.readers), `edge/${key.name}`);
  return { world, daemonSet, key, seen: () => observe(world.readers, key) };
}

const withoutConditions = { conditions: [] };

describe('what is seen of a pod that asks for images', () => {
  it('is its DaemonSet with its revisions, and the Job', () => {
    const { seen, daemonSet } = pulling();
    const found = seen();
    expect(found?.certain).toBe(true);
    expect(found?.daemonSet?.metadata.uid).toBe(daemonSet.metadata.uid);
    expect(found?.history.map(({ revision }) => revision).toSorted()).toEqual([1, 2]);
    expect(found?.pulls).toHaveLength(1);
  });

  it('is not certain while one of the caches was not read', () => {
    const { world, seen } = pulling();
    for (const name of ['daemonSets', 'controllerRevisions', 'pullJobs', 'pullPods'] as const) {
      world.unsynced.add(name);
      expect([name, seen()?.certain]).toEqual([name, false]);
      world.unsynced.delete(name);
    }
  });

  it('is no DaemonSet that has only the name of its own', () => {
    const { world, seen, daemonSet } = pulling();
    const { metadata, ...rest } = daemonSet;
    world.end(daemonSets, keyOf(daemonSet));
    expect(seen()).toMatchObject({ daemonSet: undefined, history: [] });
    const { uid: _, ...again } = metadata;
    world.put(daemonSets, { ...rest, metadata: again });
    expect(seen()).toMatchObject({ daemonSet: undefined, history: [] });
  });

  it('is still the Job where the request was taken back, and nothing when that is gone', () => {
    const { world, seen, key } = pulling();
    world.edit(pods, key, (found) => ({ ...found, status: { ...found.status, ...withoutConditions } }));
    expect(seen()?.pulls).toHaveLength(1);
    for (const job of world.list(jobs)) world.end(jobs, keyOf(job));
    expect(seen()).toBeUndefined();
  });

  it('is nothing where the pod is gone', () => {
    const { world, seen, key } = pulling();
    world.end(pods, key);
    expect(seen()).toBeUndefined();
  });
});
