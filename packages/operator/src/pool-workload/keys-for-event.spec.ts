import { describe, expect, test } from 'vitest';
import { yurtAppDaemons } from '@atoll/api';
import { deployments, statefulSets } from '@atoll/kube';
import type { CacheEvent, KubeObject, Pod, Stored } from '@atoll/kube';
import { FreshWorld } from '../../simulation/examples/fresh-world.ts';
import { leavesNothingUndone, refusedForAWhile } from '../../simulation/explorer/left-undone.ts';
import { editPods, rollOut, web, workedExample } from '../../simulation/examples/worked-example.ts';
import { keysForPoolPod } from './keys-for-event.ts';

test('the echo of its own status enqueues it where a plan finds more to do', () => {
  const setImage = (world: FreshWorld, image: string): void =>
    editPods(world, (pods) => ({ ...pods, containers: [{ name: 'web', image }] }));
  const tried = leavesNothingUndone({
    resource: yurtAppDaemons,
    object: web,
    begin: () => workedExample({ ...web, spec: { ...web.spec, revisionHistoryLimit: 0 } }),
    acts: [
      () => undefined,
      rollOut,
      (world) => setImage(world, 'web:2'),
      rollOut,
      ...refusedForAWhile(deployments, (world) => setImage(world, 'web:3')),
      rollOut,
    ],
  });
  expect(tried).toBeGreaterThan(20);
});

describe('a pod event', () => {
  const ready = podOf('u', 'True');
  const unready = podOf('u', 'False');
  const labelled = { ...ready, metadata: { ...ready.metadata, labels: { a: 'b' } } };
  const going = { ...ready, metadata: { ...ready.metadata, deletionTimestamp: '2026-11-01T10:00:00Z' } };
  const rows: readonly (readonly [string, CacheEvent<Pod>, readonly string[]])[] = [
    ['of a new pod enqueues', { type: 'added', object: unready }, ['ns/web']],
    ['of a pod that becomes ready enqueues', { type: 'updated', old: unready, object: ready }, ['ns/web']],
    [
      'of a pod that ceases to be ready enqueues',
      { type: 'updated', old: ready, object: unready },
      ['ns/web'],
    ],
    ['of a pod that is going enqueues', { type: 'updated', old: ready, object: going }, ['ns/web']],
    ['of a pod that is gone enqueues', { type: 'deleted', object: ready }, ['ns/web']],
    ['of anything else of a pod enqueues nothing', { type: 'updated', old: ready, object: labelled }, []],
    ['of a namesake that is gone enqueues nothing', { type: 'added', object: podOf('older', 'True') }, []],
  ];
  test.each(rows)('%s', (_title, event, keys) => {
    const world = new FreshWorld();
    const owner = { apiVersion: 'apps.openyurt.io/v1alpha1', kind: 'YurtAppDaemon', name: 'web' };
    const ownerReferences = [{ ...owner, uid: 'uid-web', controller: true }];
    const metadata = stored({ name: 'web-hz', namespace: 'ns', ownerReferences });
    const { uid } = world.put(statefulSets, { metadata }).metadata;
    const named = <E extends Stored<Pod>>(pod: E): E => owned(pod, uid);
    const { object } = event;
    const delivered: CacheEvent<Pod> =
      event.type === 'updated'
        ? { ...event, old: named(event.old), object: named(object) }
        : { ...event, object: named(object) };
    expect(keysForPoolPod(yurtAppDaemons, world.readers.statefulSets, delivered)).toEqual(keys);
  });
});

/** `u` stands for the uid that the StatefulSet gets. */
function owned<P extends Stored<Pod>>(pod: P, uid: string): P {
  const ownerReferences = (pod.metadata.ownerReferences ?? []).map((each) => ({
    ...each,
    uid: each.uid === 'u' ? uid : each.uid,
  }));
  return { ...pod, metadata: { ...pod.metadata, ownerReferences } };
}

function podOf(uid: string, ready: 'True' | 'False'): Stored<Pod> {
  const owner = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'web-hz', uid, controller: true };
  return {
    metadata: stored({ name: 'web-hz-0', namespace: 'ns', ownerReferences: [owner] }),
    status: { conditions: [{ type: 'Ready', status: ready }] },
  };
}

function stored<M extends KubeObject['metadata']>(metadata: M) {
  return { ...metadata, uid: 'u', resourceVersion: '1', creationTimestamp: '2026-11-01T10:00:00Z' };
}
