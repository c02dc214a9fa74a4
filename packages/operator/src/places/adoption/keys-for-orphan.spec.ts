import { describe, expect, test } from 'vitest';
import { labels, unitedDeployments } from '@atoll/api';
import { controllerRevisions } from '@atoll/kube';
import type { KubeObject, Stored } from '@atoll/kube';
import type { FreshWorld } from '../../../simulation/examples/fresh-world.ts';
import { childOf, rollOut, spread, web, zone } from '../../../simulation/examples/spread-example.ts';
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
});
