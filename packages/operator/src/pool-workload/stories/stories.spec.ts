import { expect, test } from 'vitest';
import { labels, nodePools, yurtAppDaemons } from '@atoll/api';
import { deployments, type ApiError } from '@atoll/kube';
import { refusalOf } from '@atoll/kube/testing';
import type { FreshWorld } from '../../../simulation/examples/fresh-world.ts';
import { Narrator } from '../../../simulation/narrate.ts';
import {
  editPods,
  editTemplate,
  rollOut,
  webKey,
  workedExample,
} from '../../../simulation/examples/worked-example.ts';

const key = 'ns/web';

test('first rollout', async () => {
  const { world, story } = begin();
  story.step('The workload is made; the pools bj and hz match.', () => {}, key);
  tellStatus(world, story);
  story.step('All pods become available.', () => rollOut(world), key);
  tellStatus(world, story);
  await expect(story.text()).toMatchFileSnapshot('./first-rollout.txt');
});

test('template change', async () => {
  const { world, story } = steady();
  story.step('The image becomes web:2.', () => setImage(world, 'web:2'), key);
  story.step('The pods of bj become available.', () => rollOut(world, childOf(world, 'bj')), key);
  tellStatus(world, story);
  story.step('The pods of hz become available.', () => rollOut(world), key);
  tellStatus(world, story);
  story.step('The image becomes web:1 again.', () => setImage(world, 'web:1'), key);
  story.step(
    'Only the number of replicas changes.',
    () => editTemplate(world, (spec) => ({ ...spec, replicas: 5 })),
    key,
  );
  await expect(story.text()).toMatchFileSnapshot('./template-change.txt');
});

test('pools join and leave', async () => {
  const { world, story } = steady();
  const sh = {
    metadata: { name: 'sh', labels: { tier: 'a' } },
    status: { readyNodeNum: 0, unreadyNodeNum: 0, nodes: [] },
  };
  story.step('The pool sh appears, without nodes.', () => world.put(nodePools, sh), key);
  tellStatus(world, story);
  story.step('The pool hz loses its label.', () => relabel(world, 'hz', {}), key);
  story.step('The pool hz gets it back.', () => relabel(world, 'hz', { tier: 'a' }), key);
  story.step('The pool bj is deleted.', () => world.remove(nodePools, { name: 'bj' }), key);
  await expect(story.text()).toMatchFileSnapshot('./pools-join-and-leave.txt');
});

test('child refused in one pool', async () => {
  const { world, controller, story } = begin();
  world.refuse = (operation) =>
    'object' in operation && operation.object.metadata.labels?.[labels.poolName] === 'bj'
      ? overQuota()
      : undefined;
  world.reconcile(controller, key);
  rollOut(world);
  world.reconcile(controller, key);
  story.status('A quota keeps the child out of bj; hz is available. The status says', conditionsOf(world));
  world.now += 60_000;
  world.reconcile(controller, key);
  story.status('A minute later it says', conditionsOf(world));
  story.step('The quota is raised.', () => (world.refuse = () => undefined), key);
  story.step('All pods become available.', () => rollOut(world), key);
  tellStatus(world, story);
  await expect(story.text()).toMatchFileSnapshot('./child-refused-in-one-pool.txt');
});

test('drift', async () => {
  const { world, story } = steady();
  const key0 = (pool: string) => ({ namespace: 'ns', name: childOf(world, pool) });
  story.step(
    'Somebody scales the child of hz, whose template gives 2 replicas, to 7.',
    () => {
      world.edit(deployments, key0('hz'), (found) => ({ ...found, spec: { ...found.spec, replicas: 7 } }));
    },
    key,
  );
  story.step(
    'Somebody takes labels and annotations from the child of bj.',
    () => {
      world.edit(deployments, key0('bj'), (found) => ({
        ...found,
        metadata: { ...found.metadata, labels: {}, annotations: {} },
      }));
    },
    key,
  );
  story.step('Somebody deletes the child of hz.', () => world.remove(deployments, key0('hz')), key);
  await expect(story.text()).toMatchFileSnapshot('./drift.txt');
});

function begin() {
  const { world, controller } = workedExample();
  return { world, controller, story: new Narrator(world, controller) };
}

function steady() {
  const { world, controller } = workedExample();
  world.untilSteady(controller, key);
  rollOut(world);
  world.untilSteady(controller, key);
  return { world, story: new Narrator(world, controller) };
}

function tellStatus(world: FreshWorld, story: Pick<Narrator<never>, 'status'>): void {
  story.status('The status says', conditionsOf(world));
}

function conditionsOf(world: FreshWorld) {
  return world.get(yurtAppDaemons, webKey).status?.conditions;
}

function childOf(world: FreshWorld, pool: string): string {
  const child = world.list(deployments).find(({ metadata }) => metadata.labels?.[labels.poolName] === pool);
  if (child === undefined) throw new Error(`no child in ${pool}`);
  return child.metadata.name;
}

function setImage(world: FreshWorld, image: string): void {
  editPods(world, (spec) => ({ ...spec, containers: [{ name: 'web', image }] }));
}

function relabel(world: FreshWorld, name: string, poolLabels: Readonly<Record<string, string>>): void {
  world.edit(nodePools, { name }, (found) => ({
    ...found,
    metadata: { ...found.metadata, labels: poolLabels },
  }));
}

function overQuota(): ApiError {
  const message = 'exceeded quota: small';
  return refusalOf(403, 'create deployments.apps', message);
}
