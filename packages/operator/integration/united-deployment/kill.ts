// `kill -9` in the midst of creation, update and scaling of many UnitedDeployments. `ATOLL_SEED=n` repeats a run.
import { conditionTypes, labels, unitedDeployments } from '@atoll/api';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { apply } from '../set-up/objects.ts';
import { sharedProxiedControlPlane, type ProxiedControlPlane } from '../set-up/proxied-control-plane.ts';
import { surviveKills, type Size } from '../faults/survive-kills.ts';
import { childResources, imageOf, namespace, setImage, united, type TemplateKind } from './objects.ts';
import { byType } from './standing.ts';
import { sumsBetween } from './sums-between.ts';

const children = ['deployments.apps', 'statefulsets.apps'];
const subsets = [{ name: 'a' }, { name: 'b' }, { name: 'c' }];

/** What should be, as the changes leave it. */
interface Wanted {
  readonly name: string;
  readonly kind: TemplateKind;
  replicas: number;
  image: string;
}

/** So many UnitedDeployments, and an operator that is killed so often. */
export function killUnitedDeployments({ objects, kills, electionRounds = [] }: Size): void {
  const half = objects / 2;
  /** Every fifth is of StatefulSets. */
  const names = Array.from({ length: objects }, (_, index) => `web-${String(index + 1).padStart(2, '0')}`);
  const wanted: Wanted[] = [];

  let world: ProxiedControlPlane;

  beforeAll(async () => {
    world = await sharedProxiedControlPlane({ fleet: { nodes: 3 } });
  });

  afterAll(async () => world?.[Symbol.asyncDispose]());

  async function create(from: number, to: number): Promise<string> {
    for (const [index, name] of names.entries()) {
      if (index < from || index >= to) continue;
      const kind = index % 5 === 0 ? 'statefulSetTemplate' : 'deploymentTemplate';
      const each: Wanted = { name, kind, replicas: 2, image: 'nginx:1.27' };
      const workload = kind === 'statefulSetTemplate' ? { podManagementPolicy: 'Parallel' } : {};
      await apply(world.client, unitedDeployments, united({ ...each, subsets, workload }));
      wanted.push(each);
    }
    return `create ${to - from}`;
  }

  async function update(image: string): Promise<string> {
    for (const each of wanted) {
      await setImage(world.client, each.name, image, each.kind);
      each.image = image;
    }
    return `${wanted.length} to ${image}`;
  }

  async function scale(...totals: readonly number[]): Promise<string> {
    for (const [index, each] of wanted.entries()) {
      each.replicas = totals[index % totals.length] ?? 0;
      await world.client.scale(unitedDeployments, { namespace, name: each.name }, each.replicas);
    }
    return `${wanted.length} to ${totals.join(' or ')} replicas`;
  }

  const changes: readonly (() => Promise<string>)[] = [
    async () => create(0, half),
    async () => scale(4, 1, 3),
    async () => create(half, objects),
    async () => update('nginx:1.28'),
    async () => scale(1, 3, 0, 2),
    async () => `${await update('nginx:1.29')} and ${await scale(2, 1)}`,
    async () => scale(1, 4),
    async () => `${await scale(2, 0)} and ${await update('nginx:1.30')}`,
  ];

  let further = 30;

  /** An update writes each child, so that a kill among its first writes is sure. */
  async function changeMore(): Promise<string> {
    further += 1;
    return update(`nginx:1.${further}`);
  }

  async function expectSettled(): Promise<void> {
    const { client } = world;
    const found = await client.list(unitedDeployments, { namespace });
    const lists = await Promise.all(
      (['deploymentTemplate', 'statefulSetTemplate'] as const).map(async (kind) =>
        client.list(childResources[kind], { namespace, labelSelector: labels.subsetName }),
      ),
    );
    const live = lists.flatMap(({ items }) => items);
    for (const { name, replicas, image } of wanted) {
      const { metadata, status } = found.items.find((each) => each.metadata.name === name) ?? {};
      expect(status?.observedGeneration).toBe(metadata?.generation);
      expect(byType(status?.conditions)[conditionTypes.ready]?.status).toBe('True');
      const own = live.filter((child) => child.metadata.ownerReferences?.[0]?.uid === metadata?.uid);
      expect(own).toHaveLength(subsets.length);
      expect(new Set(own.map((child) => child.metadata.labels?.[labels.subsetName]))).toEqual(
        new Set(['a', 'b', 'c']),
      );
      const asked = own.map(({ spec }) => spec.replicas ?? 0);
      expect(asked.reduce((sum, each) => sum + each, 0)).toBe(replicas);
      expect(Math.max(...asked) - Math.min(...asked)).toBeLessThanOrEqual(1);
      expect(own.map(imageOf)).toEqual([image, image, image]);
      expect(status).toMatchObject({ replicas, readyReplicas: replicas, updatedReplicas: replicas });
    }
  }

  it(
    'never has two children for a subset nor a wrong sum, and ends as wanted, however often it is killed',
    { timeout: 900_000 },
    async () => {
      const { violations, childrenCreated, wasted, wasteOfTheDead } = await surviveKills({
        world,
        kills,
        electionRounds,
        size: `${names.length} UnitedDeployments`,
        children,
        place: labels.subsetName,
        owners: ['uniteddeployments.apps.kruise.io'],
        listOwners: async () => (await world.client.list(unitedDeployments, { namespace })).items,
        changes,
        changeMore,
        killsPerChange: 2,
        expectSettled,
        checks: [sumsBetween(children)],
      });
      expect(violations).toEqual([]);
      expect(childrenCreated).toBe(subsets.length * wanted.length);
      expect(wasted).toBeLessThanOrEqual(wasteOfTheDead);
    },
  );
}
