import { beforeEach, describe, expect, test } from 'vitest';
import { labels, nodePools, unitedDaemonSets, yurtAppDaemons, type PoolWorkload } from '@atoll/api';
import { controllerOf, controllerRevisions, deployments, keyOf } from '@atoll/kube';
import type { KubeObject, Resource } from '@atoll/kube';
import { FreshWorld } from '../../simulation/examples/fresh-world.ts';
import { hz, rollOut, web, webKey } from '../../simulation/examples/worked-example.ts';
import {
  createPoolWorkloadController,
  unitedDaemonSetKind,
  yurtAppDaemonKind,
  type PoolWorkloadKind,
} from './controller.ts';

const all = deployments as Resource<KubeObject>;
const revisions = controllerRevisions as Resource<KubeObject>;
const next = JSON.parse(JSON.stringify(web).replaceAll('web:1', 'web:2')) as PoolWorkload;

let world: FreshWorld;

/** The controller of the kind does its work for the object of the name, and its children roll. */
function serve(kind: PoolWorkloadKind): void {
  const controller = createPoolWorkloadController(kind, world.readers);
  world.untilSteady(controller, 'ns/web');
  rollOut(world);
  world.untilSteady(controller, 'ns/web');
}

function releaseAll(resource: Resource<KubeObject>): void {
  for (const found of world.list(resource)) {
    const metadata = { ...found.metadata, ownerReferences: [] };
    world.edit(resource, keyOf(found), (each) => ({ ...each, metadata }));
  }
}

/** The kinds of the owners, in the order of the names of what they own. */
function ownersOf(resource: Resource<KubeObject>): readonly string[] {
  return world.list(resource).map((each) => controllerOf(each)?.kind ?? 'nobody');
}

function imagesOf(): readonly unknown[] {
  return world.list(deployments).map(({ spec }) => spec?.template.spec?.containers[0]?.image);
}

function readyOf(resource: Resource<PoolWorkload>): string | undefined {
  return world.get(resource, webKey).status?.conditions?.find(({ type }) => type === 'Ready')?.message;
}

beforeEach(() => {
  world = new FreshWorld();
  world.put(nodePools, hz);
  world.put(unitedDaemonSets, web);
  serve(unitedDaemonSetKind);
});

describe('a child that lost its owner, beside an object of the other kind with its name and selector', () => {
  beforeEach(() => {
    releaseAll(all);
    world.put(yurtAppDaemons, next);
  });

  test('is not adopted by that one, which makes none beside it and says why', () => {
    serve(yurtAppDaemonKind);
    const [child] = world.list(all);
    expect(ownersOf(all)).toEqual(['nobody']);
    expect(imagesOf()).toEqual(['web:1']);
    expect(readyOf(yurtAppDaemons)).toContain(
      `hz: the Deployment ${child?.metadata.name} has no controller and was made for UnitedDaemonSet web, so it is not adopted, and no other one is made beside it`,
    );
  });

  test('comes back to its own, and then that one makes its own', () => {
    serve(yurtAppDaemonKind);
    serve(unitedDaemonSetKind);
    expect(ownersOf(all)).toEqual(['UnitedDaemonSet']);
    serve(yurtAppDaemonKind);
    expect(new Set(ownersOf(all))).toEqual(new Set(['UnitedDaemonSet', 'YurtAppDaemon']));
    expect(new Set(imagesOf())).toEqual(new Set(['web:1', 'web:2']));
    expect(world.list(all)).toHaveLength(2);
    expect(readyOf(unitedDaemonSets)).toBe(readyOf(yurtAppDaemons));
  });

  test('is waited for no longer when it is deleted', () => {
    serve(yurtAppDaemonKind);
    for (const found of world.list(all)) world.remove(all, keyOf(found));
    serve(yurtAppDaemonKind);
    expect(ownersOf(all)).toEqual(['YurtAppDaemon']);
  });

  test('is waited for, where its own no longer wants it, until somebody takes the label of its pool off', () => {
    world.edit(unitedDaemonSets, webKey, ({ spec, ...found }) => ({
      ...found,
      spec: { ...spec, nodepoolSelector: { matchLabels: { site: 'none' } } },
    }));
    serve(unitedDaemonSetKind);
    serve(yurtAppDaemonKind);
    expect(ownersOf(all)).toEqual(['nobody']);
    for (const { metadata } of world.list(all)) {
      const { [labels.poolName]: _pool, ...others } = metadata.labels ?? {};
      world.edit(all, keyOf({ metadata }), (found) => ({
        ...found,
        metadata: { ...found.metadata, labels: others },
      }));
    }
    serve(yurtAppDaemonKind);
    expect(ownersOf(all).toSorted()).toEqual(['YurtAppDaemon', 'nobody']);
  });

  test('is adopted when the other object has let its revisions go too, or they are deleted', () => {
    serve(yurtAppDaemonKind);
    world.remove(unitedDaemonSets, webKey);
    releaseAll(revisions);
    serve(yurtAppDaemonKind);
    expect(ownersOf(all)).toEqual(['YurtAppDaemon']);
  });
});

test('a child of an object that was made again is nobody else’s: its name stands for the one before it', () => {
  releaseAll(all);
  releaseAll(revisions);
  world.remove(unitedDaemonSets, webKey);
  world.put(unitedDaemonSets, web);
  serve(unitedDaemonSetKind);
  expect(ownersOf(all)).toEqual(['UnitedDaemonSet']);
  expect(imagesOf()).toEqual(['web:1']);
});
