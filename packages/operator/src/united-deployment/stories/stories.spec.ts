import { expect, test } from 'vitest';
import type { Subset, UnitedDeployment } from '@atoll/api';
import type { FreshWorld } from '../../../simulation/examples/fresh-world.ts';
import { Narrator } from '../../../simulation/narrate.ts';
import {
  childrenOf,
  editSpec,
  partlyScheduled,
  rollOut,
  setImage,
  spread,
  statusOf,
  threeZones,
  web,
  zone,
} from '../../../simulation/examples/spread-example.ts';
import type { UnitedDeploymentSnapshot } from '../observe.ts';

const key = 'ns/web';

test('rollout', async () => {
  const { world, story } = begin();
  story.step('The workload is made: 6 replicas as 1, 50 % and what is left.', () => {}, key);
  tellStatus(world, story);
  story.step('All pods become available.', () => rollOut(world), key);
  tellStatus(world, story);
  story.step('The image becomes web:2.', () => setImage(world, 'web:2'), key);
  story.step('The pods of a become available.', () => rollOut(world, 'a'), key);
  tellStatus(world, story);
  story.step('The pods of b and c become available.', () => rollOut(world), key);
  tellStatus(world, story);
  story.step('The image becomes web:1 again.', () => setImage(world, 'web:1'), key);
  await expect(story.text()).toMatchFileSnapshot('./rollout.txt');
});

test('partitions', async () => {
  const manualUpdate = { partitions: { b: 2 } };
  const { world, story } = settled(
    web(threeZones, 'StatefulSet', { updateStrategy: { type: 'Manual', manualUpdate } }),
  );
  story.step(
    'The image becomes web:2; two pods of b are held back.',
    () => {
      setImage(world, 'web:2', 'StatefulSet');
    },
    key,
  );
  story.step('It shrinks to 2 replicas.', () => scale(world, 2), key);
  story.step('It grows to 6 again.', () => scale(world, 6), key);
  story.step(
    'The pods of b are released.',
    () => editSpec(world, () => ({ updateStrategy: { type: 'Manual', manualUpdate: { partitions: {} } } })),
    key,
  );
  await expect(story.text()).toMatchFileSnapshot('./partitions.txt');
});

test('scale out and in', async () => {
  const { world, story } = settled(web([zone('a'), zone('b')], 'Deployment', { replicas: 3 }));
  story.step('An autoscaler sets 6 replicas.', () => scale(world, 6), key);
  story.step('All pods become available.', () => rollOut(world), key);
  story.step('It sets 1.', () => scale(world, 1), key);
  story.step('It sets 0.', () => scale(world, 0), key);
  story.step('All pods are gone.', () => rollOut(world), key);
  tellStatus(world, story);
  await expect(story.text()).toMatchFileSnapshot('./scale-out-and-in.txt');
});

test('subset added and removed', async () => {
  const { world, story } = settled(web([zone('a'), zone('b')], 'Deployment', { replicas: 4 }));
  story.step('The subset c is added.', () => subsets(world, [zone('a'), zone('b'), zone('c')]), key);
  story.step('All pods become available.', () => rollOut(world), key);
  tellStatus(world, story);
  story.step('The subset a is removed.', () => subsets(world, [zone('b'), zone('c')]), key);
  story.step('All pods become available.', () => rollOut(world), key);
  tellStatus(world, story);
  story.step('The subset a comes back.', () => subsets(world, [zone('a'), zone('b'), zone('c')]), key);
  await expect(story.text()).toMatchFileSnapshot('./subset-added-and-removed.txt');
});

test('unschedulable subset', async () => {
  const { world, story } = adaptive({ rescheduleCriticalSeconds: 30, unschedulableDuration: 300 });
  story.step('Only one pod of a finds a node.', () => partlyScheduled(world, 'a', 1), key);
  tellStatus(world, story);
  story.step('30 seconds pass.', () => (world.now += 30_000), key);
  tellStatus(world, story);
  story.step('The pods of b become available.', () => rollOut(world), key);
  story.step('Five minutes pass.', () => (world.now += 300_000), key);
  tellStatus(world, story);
  story.step('There are nodes again, and an autoscaler sets 4 replicas.', () => scale(world, 4), key);
  story.step('All pods become available.', () => rollOut(world), key);
  tellStatus(world, story);
  await expect(story.text()).toMatchFileSnapshot('./unschedulable-subset.txt');
});

test('reservation', async () => {
  const { world, story } = adaptive({
    rescheduleCriticalSeconds: 30,
    unschedulableDuration: 300,
    reserveUnschedulablePods: true,
  });
  story.step('Only one pod of a finds a node.', () => partlyScheduled(world, 'a', 1), key);
  story.step('30 seconds pass.', () => (world.now += 30_000), key);
  story.step('The pods of b become available.', () => rollOut(world, 'b'), key);
  tellStatus(world, story);
  story.step('All pods of a find a node.', () => rollOut(world, 'a'), key);
  story.step('The pods of b are gone.', () => rollOut(world, 'b'), key);
  tellStatus(world, story);
  await expect(story.text()).toMatchFileSnapshot('./reservation.txt');
});

test('template switch', async () => {
  const { world, story } = settled(web([zone('a'), zone('b')], 'Deployment', { replicas: 2 }));
  const { template } = web([], 'StatefulSet').spec;
  story.step('The template becomes one of StatefulSets.', () => editSpec(world, () => ({ template })), key);
  story.step('All pods become available.', () => rollOut(world), key);
  tellStatus(world, story);
  await expect(story.text()).toMatchFileSnapshot('./template-switch.txt');
});

test('numbers that do not add up', async () => {
  const three = [zone('a', { replicas: 1 }), zone('b', { replicas: 2 })];
  const { world, story } = settled(web(three, 'Deployment', { replicas: 3 }));
  story.step('An autoscaler sets 6 replicas, though the subsets say 1 and 2.', () => scale(world, 6), key);
  story.step('All pods become available.', () => rollOut(world), key);
  tellStatus(world, story);
  story.step('It sets 5.', () => scale(world, 5), key);
  story.step(
    'The numbers of the subsets go.',
    () => subsets(world, [zone('a', { replicas: 1 }), zone('b')]),
    key,
  );
  story.step('All pods become available.', () => rollOut(world), key);
  tellStatus(world, story);
  await expect(story.text()).toMatchFileSnapshot('./numbers-that-do-not-add-up.txt');
});

type Story = Narrator<UnitedDeploymentSnapshot>;

function begin(workload?: UnitedDeployment) {
  const { world, controller } = spread(workload);
  return { world, controller, story: new Narrator(world, controller) };
}

/** After its first rollout. */
function settled(workload?: UnitedDeployment) {
  const begun = begin(workload);
  begun.world.untilSteady(begun.controller, key);
  rollOut(begun.world);
  begun.world.untilSteady(begun.controller, key);
  return begun;
}

/** Two replicas over a, which takes what it can, and b. */
function adaptive(windows: object) {
  const scheduleStrategy = { type: 'Adaptive' as const, adaptive: windows };
  const topology = { subsets: [zone('a', { maxReplicas: 2 }), zone('b')], scheduleStrategy };
  const begun = begin(web([], 'Deployment', { replicas: 2, topology }));
  begun.world.untilSteady(begun.controller, key);
  return begun;
}

function scale(world: FreshWorld, replicas: number): void {
  editSpec(world, () => ({ replicas }));
}

function subsets(world: FreshWorld, given: readonly Subset[]): void {
  editSpec(world, ({ topology }) => ({ topology: { ...topology, subsets: given } }));
}

function tellStatus(world: FreshWorld, story: Story): void {
  const status = statusOf(world);
  const children = Object.entries(childrenOf(world)).map(([subset, what]) => `${subset}: ${what}`);
  const marked = (status.subsetStatuses ?? []).flatMap(({ name, conditions = [] }) =>
    conditions.map((condition) => ({ ...condition, type: `${condition.type} of ${name}` })),
  );
  const what = children.length === 0 ? 'There are no children.' : `There are ${children.join(', ')}.`;
  story.status(`${what} The status says`, [...(status.conditions ?? []), ...marked]);
}
