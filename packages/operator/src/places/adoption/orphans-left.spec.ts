import { labels, unitedDeployments } from '@atoll/api';
import { controllerOf, deployments, keyOf, type KubeObject, type Resource, type Stored } from '@atoll/kube';
import { expect, test } from 'vitest';
import type { FreshWorld } from '../../../simulation/examples/fresh-world.ts';
import {
  childOf,
  conditionsOf,
  editSpec,
  rollOut,
  spread,
  statusOf,
  web,
  zone,
} from '../../../simulation/examples/spread-example.ts';
import type { ChildWorkload } from '../../children/child.ts';
import { keysForChildOrOrphan } from './keys-for-orphan.ts';

const all = deployments as Resource<KubeObject>;

function steady() {
  const { world, controller } = spread(web([zone('a'), zone('b')]));
  const untilSteady = () => {
    world.untilSteady(controller, 'ns/web');
    rollOut(world);
    return world.untilSteady(controller, 'ns/web');
  };
  untilSteady();
  const ready = () => statusOf(world).conditions?.find(({ type }) => type === 'Ready')?.message ?? '';
  return { world, controller, untilSteady, ready };
}

/** As a backup, or a deletion with `--cascade=orphan`, leaves a child. */
function leave(world: FreshWorld, child: Stored<ChildWorkload>, name: string): Stored<KubeObject> {
  const { uid: _uid, resourceVersion: _version, ownerReferences: _owners, ...metadata } = child.metadata;
  return world.put(all, { ...child, metadata: { ...metadata, name } } as KubeObject);
}

test('a child that nobody owns, whose subset is no more, is named and left', () => {
  const { world, untilSteady, ready } = steady();
  const left = leave(world, childOf(world, 'b'), 'web-b-left');
  editSpec(world, () => ({ topology: { subsets: [zone('a')] } }));
  untilSteady();
  expect(conditionsOf(world)['Ready']).toBe('True RolloutComplete');
  expect(ready()).toContain(
    `; b: the Deployment web-b-left has no owner and is not needed, and its pods run. Delete it, or take its label ${labels.subsetName} off`,
  );
  expect(controllerOf(world.get(all, keyOf(left)))).toBeUndefined();
  world.remove(all, keyOf(left));
  untilSteady();
  expect(ready()).not.toContain('web-b-left');
});

test('a second child of a subset that nobody owns is named, also of another kind, and no longer without its label', () => {
  const { world, untilSteady, ready } = steady();
  const left = leave(world, childOf(world, 'a'), 'web-a-left');
  editSpec(world, () => ({ template: web([], 'StatefulSet').spec.template }));
  untilSteady();
  expect(ready()).toContain('a: the Deployment web-a-left has no owner');
  const { [labels.subsetName]: _, ...others } = left.metadata.labels ?? {};
  world.edit(all, keyOf(left), ({ metadata, ...found }) => ({
    ...found,
    metadata: { ...metadata, labels: others },
  }));
  untilSteady();
  expect(ready()).not.toContain('web-a-left');
});

test('the object is reconciled when a child that nobody owns is gone, or has lost its label or got an owner', () => {
  const { world } = steady();
  const object = leave(world, childOf(world, 'a'), 'web-a-left');
  const owners = { list: () => world.list(unitedDeployments) as readonly Stored<KubeObject>[] };
  const keys = (event: Parameters<typeof keysForChildOrOrphan>[3]) =>
    keysForChildOrOrphan(unitedDeployments, owners as never, labels.subsetName, event);
  expect(keys({ type: 'deleted', object })).toEqual(['ns/web']);
  const bare = { ...object, metadata: { ...object.metadata, labels: {} } };
  expect(keys({ type: 'updated', old: object, object: bare })).toEqual(['ns/web']);
  expect(keys({ type: 'updated', old: bare, object: bare })).toEqual([]);
  const ownerReferences = [{ apiVersion: 'v1', kind: 'Other', name: 'x', uid: 'y', controller: true }];
  const owned = { ...object, metadata: { ...object.metadata, ownerReferences } };
  expect(keys({ type: 'updated', old: object, object: owned })).toEqual(['ns/web']);
});
