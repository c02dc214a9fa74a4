import { labels, unitedDeployments } from '@atoll/api';
import { deployments, keyOf, type KubeObject, type Resource, type Stored } from '@atoll/kube';
import { expect, test } from 'vitest';
import type { FreshWorld } from '../../../simulation/examples/fresh-world.ts';
import {
  childOf,
  conditionsOf,
  rollOut,
  spread,
  statusOf,
  web,
  webKey,
  zone,
} from '../../../simulation/examples/spread-example.ts';

const all = deployments as Resource<KubeObject>;

function steady() {
  const { world, controller } = spread(web([zone('a'), zone('b')]));
  const untilSteady = () => {
    world.untilSteady(controller, 'ns/web');
    rollOut(world, 'a', 'b');
    return world.untilSteady(controller, 'ns/web');
  };
  untilSteady();
  const ready = () => statusOf(world).conditions?.find(({ type }) => type === 'Ready')?.message ?? '';
  return { world, controller, untilSteady, ready };
}

/** Somebody gives the UnitedDeployment a Deployment that names no subset. */
function give(world: FreshWorld, name: string): Stored<KubeObject> {
  const { uid } = world.get(unitedDeployments, webKey).metadata;
  const owner = { apiVersion: 'apps.kruise.io/v1beta1', kind: 'UnitedDeployment', name: 'web', uid };
  const metadata = { namespace: 'ns', name, ownerReferences: [{ ...owner, controller: true }] };
  const spec = { replicas: 1, selector: { matchLabels: { app: 'x' } } };
  return world.put(all, { metadata, spec } as KubeObject);
}

test('a child that names no subset is named and left', () => {
  const { world, controller, untilSteady, ready } = steady();
  const given = give(world, 'given');
  const { holds } = world.reconcile(controller, 'ns/web').plan;
  expect(holds).toMatchObject([{ reason: 'UnknownChild', targets: ['given'], bad: false }]);
  expect(conditionsOf(world)['Ready']).toBe('True RolloutComplete');
  expect(ready()).toContain(
    '; given: the Deployment given, which this object controls, names no subset, and its pods run. Delete it',
  );
  expect(world.get(all, keyOf(given))).toEqual(given);
  world.edit(all, keyOf(given), ({ metadata, ...found }) => ({
    ...found,
    metadata: { ...metadata, ownerReferences: [] },
  }));
  untilSteady();
  expect(ready()).not.toContain('given');
});

test('a child that names no subset is no problem while it is being deleted', () => {
  const { world, controller } = steady();
  const key = keyOf(give(world, 'given'));
  world.edit(all, key, ({ metadata, ...found }) => ({
    ...found,
    metadata: { ...metadata, finalizers: ['example/held'] },
  }));
  world.remove(all, key);
  expect(world.reconcile(controller, 'ns/web').plan.holds).toEqual([]);
});

test('one that has the name of the child of a subset is not taken for one that is being deleted', () => {
  const { world, untilSteady, ready } = steady();
  const { name } = childOf(world, 'a').metadata;
  world.remove(all, { namespace: 'ns', name });
  const given = give(world, name);
  untilSteady();
  expect(conditionsOf(world)['Ready']).toBe('False NameTaken');
  expect(ready()).toContain(
    `a: the Deployment ${name} exists already and is controlled by UnitedDeployment web. Delete it`,
  );
  expect(given.metadata.labels?.[labels.subsetName]).toBeUndefined();
  expect(world.get(all, keyOf(given))).toEqual(given);
});
