// Whatever happened to pools and children: where not all is as it should be, a step, a time or a hold says how it goes on.
import { nodePools, yurtAppDaemons, type NodePool, type PoolWorkload } from '@atoll/api';
import { deployments, statefulSets, type KubeObject, type Resource } from '@atoll/kube';
import { expect, test } from 'vitest';
import type { FreshWorld } from '../../simulation/examples/fresh-world.ts';
import { podSpec, web, webKey, workedExample } from '../../simulation/examples/worked-example.ts';
import { saidAtRest } from '../../simulation/examples/said-at-rest.ts';
import { randomFrom } from '../../simulation/story.ts';
import type { ChildWorkload } from '../children/child.ts';

type Spec = PoolWorkload['spec'];

const children = [
  deployments,
  statefulSets,
] as readonly Resource<KubeObject>[] as readonly Resource<ChildWorkload>[];
const longName = 'p'.repeat(64);
const poolNames = ['hz', 'bj', 'sh', 'constructor', longName];

/** A number from 0 to the most. */
type UpTo = (most: number) => number;

function poolCalled(name: string, upTo: UpTo): NodePool {
  const counted = upTo(1) === 0 ? {} : { status: { readyNodeNum: upTo(1), unreadyNodeNum: 0 } };
  const taints = upTo(1) === 0 ? [] : [{ key: 'edge', effect: 'NoSchedule' as const }];
  return { metadata: { name, labels: { tier: upTo(3) === 0 ? 'b' : 'a' } }, spec: { taints }, ...counted };
}

function specOf(upTo: UpTo): Partial<Spec> {
  const strategy = [{}, {}, { paused: true }, { updateStrategy: { type: 'OnDelete' } }][upTo(3)];
  const containers = [{ name: 'web', image: `web:${upTo(1)}` }];
  const template = { metadata: { labels: { app: 'web' } }, spec: { ...podSpec, containers } };
  const given = { metadata: { labels: { app: 'web' } }, spec: { replicas: upTo(2), template, ...strategy } };
  const member = upTo(3) === 0 ? 'statefulSetTemplate' : 'deploymentTemplate';
  const selector = upTo(9) === 0 ? {} : { matchLabels: { tier: 'a' } };
  return { workloadTemplate: { [member]: given }, nodepoolSelector: selector } as Partial<Spec>;
}

function others(world: FreshWorld, upTo: UpTo): void {
  for (const resource of children) {
    for (const { metadata, spec } of world.list(resource)) {
      const { name, generation = 0 } = metadata;
      const key = { namespace: 'ns', name };
      const { replicas = 1 } = spec ?? {};
      const [act, ready] = [upTo(6), upTo(replicas)];
      if (act < 4) {
        const status = {
          replicas: replicas + upTo(1),
          readyReplicas: ready,
          availableReplicas: act === 0 ? replicas : ready,
          updatedReplicas: act === 0 ? replicas : upTo(replicas),
          observedGeneration: generation - (upTo(9) === 0 ? 1 : 0),
        };
        world.edit(resource, key, (found) => ({ ...found, status }));
      } else if (act === 4 && upTo(2) === 0) world.remove(resource as Resource<KubeObject>, key);
      else if (act === 5 && upTo(2) === 0)
        world.edit(resource, key, (found) => ({
          ...found,
          metadata: { ...found.metadata, ownerReferences: [] },
        }));
    }
  }
  for (const name of poolNames) {
    const found = world.list(nodePools).find(({ metadata }) => metadata.name === name);
    if (upTo(5) > 0) continue;
    if (found === undefined) world.put(nodePools, poolCalled(name, upTo));
    else if (upTo(1) === 0) world.remove(nodePools as Resource<KubeObject>, { name });
    else
      world.edit(nodePools, { name }, (pool) => ({
        ...pool,
        metadata: { ...pool.metadata, finalizers: ['x/y'] },
      }));
  }
}

test('a YurtAppDaemon waits with a word', { timeout: 60_000 }, () => {
  for (let seed = 1; seed <= 40; seed += 1) {
    const random = randomFrom(seed);
    const upTo: UpTo = (most) => Math.floor(random() * (most + 1));
    const pools = poolNames.filter(() => upTo(1) === 0).map((name) => poolCalled(name, upTo));
    const { world, controller } = workedExample({ ...web, spec: { ...web.spec, ...specOf(upTo) } }, pools);
    for (let round = 1; round <= 6; round += 1) {
      world.untilSteady(controller, 'ns/web');
      expect(
        saidAtRest(world, controller, yurtAppDaemons, 'ns/web'),
        `seed ${seed}, round ${round}`,
      ).toBeDefined();
      others(world, upTo);
      if (upTo(2) === 0)
        world.edit(yurtAppDaemons, webKey, ({ spec, ...rest }) => ({
          ...rest,
          spec: { ...spec, ...specOf(upTo) },
        }));
      world.now += [1_000, 61_000, 700_000][upTo(2)] ?? 0;
    }
  }
});
