import { describe, expect, test } from 'vitest';
import { annotations, labels, unitedDeployments, yurtAppDaemons } from '@atoll/api';
import { controllerRevisions } from '@atoll/kube';
import type { KubeObject, Stored } from '@atoll/kube';
import { FreshWorld } from '../../../simulation/examples/fresh-world.ts';
import { childOf, rollOut, spread, web, zone } from '../../../simulation/examples/spread-example.ts';
import { web as daemon } from '../../../simulation/examples/worked-example.ts';
import { keysForChildOrOrphan, keysForRevision } from './keys-for-orphan.ts';

function rolledOut(): FreshWorld {
  const { world, controller } = spread(web([zone('a'), zone('b')], 'Deployment'));
  world.untilSteady(controller, 'ns/web');
  rollOut(world);
  return world;
}

describe('a child', () => {
  test('enqueues its owner, and one that nobody owns enqueues those who may want it', () => {
    const world = rolledOut();
    const owners = world.readers.unitedDeployments;
    const ours = childOf(world, 'a') as Stored<KubeObject>;
    expect(
      keysForChildOrOrphan(unitedDeployments, owners, labels.subsetName, {
        type: 'updated',
        old: ours,
        object: ours,
      }),
    ).toEqual(['ns/web']);
    const orphan = { ...ours, metadata: { ...ours.metadata, ownerReferences: [] } };
    expect(
      keysForChildOrOrphan(unitedDeployments, owners, labels.subsetName, { type: 'added', object: orphan }),
    ).toEqual(['ns/web']);
    const foreign = { ...orphan, metadata: { ...orphan.metadata, name: 'db-1' } };
    expect(
      keysForChildOrOrphan(unitedDeployments, owners, labels.subsetName, { type: 'added', object: foreign }),
    ).toEqual([]);
    const elsewhere = { ...orphan, metadata: { ...orphan.metadata, namespace: 'other' } };
    expect(
      keysForChildOrOrphan(unitedDeployments, owners, labels.subsetName, {
        type: 'added',
        object: elsewhere,
      }),
    ).toEqual([]);
    expect(world.list(unitedDeployments)).toHaveLength(1);
  });
});

describe('a child of an old operator', () => {
  const stamp = { uid: 'u', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' };

  /** Whom the Deployment enqueues that nobody owns, among YurtAppDaemons of these names. */
  function enqueued(name: string, owners: readonly string[]): readonly string[] {
    const world = new FreshWorld();
    for (const owner of owners) {
      world.put(yurtAppDaemons, { ...daemon, metadata: { name: owner, namespace: 'ns' } });
    }
    const object: Stored<KubeObject> = {
      metadata: {
        ...stamp,
        name,
        namespace: 'ns',
        labels: { app: 'web', [labels.poolName]: 'hz' },
        annotations: { [annotations.refNodePool]: 'hz' },
      },
    };
    const readers = world.readers.yurtAppDaemons;
    return keysForChildOrOrphan(yurtAppDaemons, readers, labels.poolName, { type: 'added', object });
  }

  test.each([
    ['web.v2-hz-x7k2p', ['ns/web.v2']],
    // One too many is a reconcile for nothing; one too few waits until something else happens.
    ['web-v2-hz-x7k2p', ['ns/web.v2']],
    ['web.v3-hz-x7k2p', []],
    [`${'w.'.repeat(30)}w-hz-x7k2p`, [`ns/${'w.'.repeat(30)}w`]],
  ])('enqueues its owner whose name has dots: %s', (name, keys) => {
    expect(enqueued(name, ['web.v2', `${'w.'.repeat(30)}w`, 'api.v2'])).toEqual(keys);
  });
});

describe('a revision', () => {
  test('enqueues its owner, and one that nobody owns enqueues the one whose name it has', () => {
    const world = rolledOut();
    const owners = world.readers.unitedDeployments;
    const [ours] = world.list(controllerRevisions) as readonly Stored<KubeObject>[];
    if (ours === undefined) throw new Error('no revision');
    const woken = (metadata: object) =>
      keysForRevision(unitedDeployments, owners, {
        type: 'added',
        object: { ...ours, metadata: { ...ours.metadata, ...metadata } },
      });
    expect(woken({})).toEqual(['ns/web']);
    expect(woken({ ownerReferences: [] })).toEqual(['ns/web']);
    expect(woken({ ownerReferences: [], name: 'web-2-bcd' })).toEqual([]);
    expect(woken({ ownerReferences: [], labels: {} })).toEqual([]);
    expect(woken({ ownerReferences: [], namespace: 'other' })).toEqual([]);
  });

  test('that is deleted enqueues those whose children it may have been for, also where their name has dots', () => {
    const world = new FreshWorld();
    const named = (name: string) => ({ ...daemon, metadata: { name, namespace: 'ns' } });
    world.put(yurtAppDaemons, named('web.v2'));
    const other = {
      apiVersion: 'apps.openyurt.io/v1alpha1',
      kind: 'UnitedDaemonSet',
      name: 'web.v2',
      uid: 'u',
    };
    const object: Stored<KubeObject> = {
      metadata: {
        name: 'web.v2-bcd',
        namespace: 'ns',
        uid: 'r',
        resourceVersion: '1',
        creationTimestamp: '2026-01-01T00:00:00Z',
        labels: { [labels.revisionHash]: 'bcd' },
        ownerReferences: [{ ...other, controller: true }],
      },
    };
    const keys = (type: 'added' | 'deleted') =>
      keysForRevision(yurtAppDaemons, world.readers.yurtAppDaemons, { type, object });
    expect([keys('added'), keys('deleted')]).toEqual([[], ['ns/web.v2']]);
  });
});
