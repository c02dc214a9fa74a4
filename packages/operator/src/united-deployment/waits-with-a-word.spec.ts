// Whatever happened to children and pods: where not all is as it should be, a step, a time or a hold says how it goes on.
import { annotations, unitedDeployments, type Subset, type UnitedDeployment } from '@atoll/api';
import type { KubeObject, Resource } from '@atoll/kube';
import { expect, test } from 'vitest';
import type { FreshWorld } from '../../simulation/examples/fresh-world.ts';
import {
  podTemplate,
  putPod,
  removePods,
  spread,
  unschedulable,
  web,
  webKey,
  zone,
} from '../../simulation/examples/spread-example.ts';
import { saidAtRest } from '../../simulation/examples/said-at-rest.ts';
import { randomFrom } from '../../simulation/story.ts';
import type { ChildWorkload } from '../children/child.ts';
import { childKinds, kindFacts, type ChildKind } from './subsets/child-kind.ts';

type Spec = UnitedDeployment['spec'];

const rounds = 6;

/** What a seed decides. */
class Chance {
  readonly #random: () => number;

  constructor(seed: number) {
    this.#random = randomFrom(seed);
  }

  upTo(most: number): number {
    return Math.floor(this.#random() * (most + 1));
  }

  pick<T>(list: readonly T[]): T {
    return list[this.upTo(list.length - 1)] as T;
  }

  maybe(chance = 0.5): boolean {
    return this.#random() < chance;
  }
}

function specOf(kind: ChildKind, chance: Chance): Partial<Spec> {
  const manner = chance.pick(['numbers', 'bounds', 'adaptive', 'reserving'] as const);
  const names = ['a', 'b', 'c', 'd'].slice(0, 1 + chance.upTo(3)).filter(() => chance.maybe(0.8));
  const subsets = names.map((name) => subsetOf(name, manner === 'numbers', chance));
  const adaptive = {
    rescheduleCriticalSeconds: 10,
    unschedulableDuration: chance.pick([0, 10, 100]),
    reserveUnschedulablePods: manner === 'reserving',
  };
  const follows = manner === 'adaptive' || manner === 'reserving';
  const image = chance.pick(['web:1', 'web:2']);
  const template = { ...podTemplate, spec: { containers: [{ name: 'web', image }] } };
  const strategy = chance.pick<object>([
    {},
    {},
    { updateStrategy: { type: 'OnDelete' } },
    { paused: true },
    { updateStrategy: { paused: true } },
    { podManagementPolicy: 'Parallel' },
  ]);
  const partitions = { a: chance.pick([0, 1, 5, -1]), b: chance.upTo(2) };
  return {
    replicas: chance.pick([0, 1, 4, 6, undefined as unknown as number]),
    template: {
      [kindFacts[kind].member]: { metadata: { labels: { app: 'web' } }, spec: { template, ...strategy } },
    } as Spec['template'],
    topology: { subsets, ...(follows ? { scheduleStrategy: { type: 'Adaptive', adaptive } } : {}) },
    ...(chance.maybe(0.4) ? { updateStrategy: { type: 'Manual', manualUpdate: { partitions } } } : {}),
  };
}

function subsetOf(name: string, isNumbered: boolean, chance: Chance): Subset {
  const patch = chance.pick<Subset['patch']>([
    undefined,
    undefined,
    { spec: { containers: [{}] } },
    { metadata: { labels: { x: chance.pick(['1', '2']) } } },
  ]);
  const replicas = chance.pick<number | string | undefined>([undefined, 0, 1, 3, '50%', '30%', 'x', -1]);
  const bounds = {
    minReplicas: chance.pick<number | string | undefined>([undefined, undefined, 1, 2, '20%']),
    maxReplicas: chance.pick<number | string | undefined>([undefined, undefined, 0, 1, 3, '60%']),
  };
  const given = Object.entries({ ...(isNumbered ? { replicas } : bounds), patch });
  return zone(name, Object.fromEntries(given.filter(([, value]) => value !== undefined)));
}

/** The controllers of the children get on, or do not, and people interfere. */
function others(world: FreshWorld, chance: Chance): void {
  for (const kind of childKinds) {
    const resource = kindFacts[kind].resource as Resource<ChildWorkload>;
    for (const child of world.list(resource)) {
      const key = { namespace: 'ns', name: child.metadata.name };
      const act = chance.pick(['counts', 'counts', 'counts', 'done', 'nothing', 'scaled', 'rare'] as const);
      if (act === 'scaled')
        world.edit(resource, key, ({ spec, ...rest }) => ({
          ...rest,
          spec: { ...spec, replicas: chance.upTo(5) },
        }));
      if (act === 'rare' && chance.maybe(0.3)) interfere(world, resource, child, chance);
      if (act === 'counts' || act === 'done') count(world, kind, child, act === 'done', chance);
    }
  }
}

function interfere(
  world: FreshWorld,
  resource: Resource<ChildWorkload>,
  { metadata }: ChildWorkload,
  chance: Chance,
): void {
  const key = { namespace: 'ns', name: metadata.name };
  const how = chance.pick(['deleted', 'stuck', 'let go'] as const);
  if (how === 'let go') {
    world.edit(resource, key, (found) => ({
      ...found,
      metadata: { ...found.metadata, ownerReferences: [] },
    }));
    return;
  }
  if (how === 'stuck')
    world.edit(resource, key, (found) => ({
      ...found,
      metadata: { ...found.metadata, finalizers: ['x/y'] },
    }));
  world.remove(resource as Resource<KubeObject>, key);
}

function count(
  world: FreshWorld,
  kind: ChildKind,
  child: ReturnType<FreshWorld['get']> & ChildWorkload,
  isDone: boolean,
  chance: Chance,
): void {
  const { name, generation = 0 } = child.metadata;
  const { replicas = 1 } = child.spec ?? {};
  const made = isDone ? replicas : Math.max(0, replicas + chance.upTo(2) - 1);
  const ready = isDone ? made : chance.upTo(made);
  const waits = [unschedulable(new Date(world.now).toISOString()), { ready: false }];
  removePods(world, kind, name);
  for (let index = 0; index < made; index += 1)
    putPod(world, kind, child, index, index < ready ? {} : chance.pick(waits));
  const status = {
    replicas: made,
    readyReplicas: ready,
    availableReplicas: ready,
    updatedReplicas: isDone ? made : chance.upTo(made),
    observedGeneration: chance.maybe(0.9) ? generation : generation - 1,
    ...(kind === 'StatefulSet' ? { updateRevision: 'r' } : {}),
  };
  const resource = kindFacts[kind].resource as Resource<ChildWorkload>;
  world.edit(resource, { namespace: 'ns', name }, (found) => ({ ...found, status }));
}

test('a UnitedDeployment waits with a word', { timeout: 60_000 }, () => {
  for (let seed = 1; seed <= 20; seed += 1) {
    const chance = new Chance(seed);
    const kind = chance.pick(childKinds);
    const removal = chance.maybe(0.3)
      ? { annotations: { [annotations.subsetRemoval]: 'AfterReplacement' } }
      : {};
    const { world, controller } = spread({
      ...web([], kind, specOf(kind, chance)),
      metadata: { ...webKey, ...removal },
    });
    for (let round = 1; round <= rounds; round += 1) {
      world.untilSteady(controller, 'ns/web');
      expect(
        saidAtRest(world, controller, unitedDeployments, 'ns/web'),
        `seed ${seed}, round ${round}`,
      ).toBeDefined();
      others(world, chance);
      if (chance.maybe(0.4)) {
        const next = specOf(chance.maybe(0.85) ? kind : chance.pick(childKinds), chance);
        world.edit(unitedDeployments, webKey, ({ spec, ...rest }) => ({
          ...rest,
          spec: { ...spec, ...next },
        }));
      }
      world.now += chance.pick([1_000, 11_000, 61_000, 700_000]);
    }
  }
});
