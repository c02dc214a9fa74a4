import { expect, it } from 'vitest';
import { labels, unitedDeployments } from '@atoll/api';
import { controllerOf, deployments, type KubeObject, type OwnerReference, type Resource } from '@atoll/kube';
import { FreshWorld } from '../../../simulation/examples/fresh-world.ts';
import { web, webKey, zone } from '../../../simulation/examples/spread-example.ts';
import { createUnitedDeploymentController } from '../../united-deployment/controller.ts';

const key = { namespace: 'ns', name: 'web-a-old' };
const others = deployments as Resource<KubeObject>;

function ownedBy(change: Partial<OwnerReference>, subset = 'a'): KubeObject {
  const owner = {
    apiVersion: 'apps.kruise.io/v1alpha1',
    kind: 'UnitedDeployment',
    name: 'web',
    uid: 'uid-old',
  };
  const ownerReferences = [{ ...owner, controller: true, ...change }];
  return { metadata: { ...key, labels: { [labels.subsetName]: subset }, ownerReferences } };
}

function begin(old: KubeObject) {
  const world = new FreshWorld();
  const controller = createUnitedDeploymentController(world.readers);
  world.put(others, old);
  world.put(unitedDeployments, web([zone('a')]));
  const untilSteady = () => world.untilSteady(controller, 'ns/web');
  const made = () => world.list(others).filter((each) => controllerOf(each)?.uid !== 'uid-old').length;
  untilSteady();
  return { world, controller, untilSteady, made };
}

it('makes no child while that of its namesake, which is no more, may still become ours', () => {
  const { world, untilSteady, made } = begin(ownedBy({}));
  expect(made()).toBe(0);
  const { status } = world.get(unitedDeployments, webKey);
  expect(status?.conditions?.find(({ type }) => type === 'Progressing')?.reason).toBe('NameTaken');
  world.remove(others, key);
  untilSteady();
  expect(made()).toBe(1);
});

it('does not wait for what the garbage collector takes its time for', () => {
  const { world, controller, untilSteady, made } = begin(ownedBy({}));
  const { requeueAt } = world.reconcile(controller, 'ns/web').plan;
  expect(requeueAt).toBe(world.now + 5_000);
  world.now += 5_000;
  untilSteady();
  expect(made()).toBe(1);
});

it.each<readonly [string, KubeObject]>([
  ['of another name', ownedBy({ name: 'web-2' })],
  ['of another kind', ownedBy({ kind: 'Other', apiVersion: 'example.test/v1' })],
  ['of another subset', ownedBy({}, 'b')],
  [
    'that is going',
    { ...ownedBy({}), metadata: { ...ownedBy({}).metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } },
  ],
])('waits for no child %s', (_, old) => {
  expect(begin(old).made()).toBe(1);
});
