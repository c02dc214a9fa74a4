// `kill -9` in the midst of creation, update and deletion in many pools. `ATOLL_SEED=n` repeats a run.
import { labels, nodePools, unitedDaemonSets, yurtAppDaemons, type PoolWorkload } from '@atoll/api';
import type { Resource } from '@atoll/kube';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { apply, childrenOf, daemon, imageOf, pool, setImage } from '../set-up/objects.ts';
import { sharedProxiedControlPlane, type ProxiedControlPlane } from '../set-up/proxied-control-plane.ts';
import { conditionsOf } from '../set-up/standing.ts';
import { surviveKills, type Size } from './survive-kills.ts';

interface Wanted {
  readonly resource: Resource<PoolWorkload>;
  readonly name: string;
  image: string;
}

/** Two workloads, one of each kind, in so many pools, and an operator that is killed so often. */
export function killPoolWorkloads({ objects, kills, electionRounds = [] }: Size): void {
  const names = Array.from({ length: objects }, (_, index) => `edge-${String(index + 1).padStart(2, '0')}`);

  let world: ProxiedControlPlane;

  beforeAll(async () => {
    world = await sharedProxiedControlPlane({ fleet: { pools: names, nodesPerPool: 1 } });
  });

  afterAll(async () => world?.[Symbol.asyncDispose]());

  /** How many children are ever made: each once, for each time that its pool is selected. */
  let expectedChildren = 0;

  /** What should be, as the changes leave it. */
  const wanted: Wanted[] = [];
  let selected: readonly string[] = names;

  async function create(resource: Resource<PoolWorkload>, name: string): Promise<string> {
    const shape = daemon({ name, pools: { edge: 'yes' }, replicas: 1 });
    await apply(world.client, resource, shape);
    wanted.push({ resource, name, image: 'nginx:1.27' });
    expectedChildren += selected.length;
    return `create ${resource.kind}`;
  }

  async function update(name: string, image: string): Promise<string> {
    for (const each of wanted.filter((candidate) => candidate.name === name)) {
      await setImage(world.client, each.resource, name, image);
      each.image = image;
    }
    return `${name} to ${image}`;
  }

  /** Every third pool leaves, or all are there again. */
  async function select(chosen: readonly string[]): Promise<string> {
    for (const name of names) {
      const edge = chosen.includes(name) ? 'yes' : 'no';
      await apply(world.client, nodePools, pool(name, { edge }));
    }
    expectedChildren += wanted.length * chosen.filter((name) => !selected.includes(name)).length;
    selected = chosen;
    return `${chosen.length} pools`;
  }

  const most = names.filter((_, index) => index % 3 !== 0);
  const changes: readonly (() => Promise<string>)[] = [
    () => create(yurtAppDaemons, 'yad'),
    () => select(most),
    () => update('yad', 'nginx:1.28'),
    () => create(unitedDaemonSets, 'udd'),
    () => select(names),
    () => update('udd', 'nginx:1.28'),
    () => update('yad', 'nginx:1.29'),
    () => select(most),
    () => update('udd', 'nginx:1.29'),
    () => select(names),
  ];

  let further = 29;

  /** An update writes each child, so that a kill among its first writes is sure. */
  async function changeMore(): Promise<string> {
    further += 1;
    return update('yad', `nginx:1.${further}`);
  }

  async function expectSettled(): Promise<void> {
    const { client } = world;
    for (const { resource, name, image } of wanted) {
      expect(await conditionsOf(client, resource, name, 'default')).toMatchObject({
        Ready: { status: 'True' },
      });
      const { status } = await client.get(resource, { namespace: 'default', name });
      expect(status?.nodepools).toEqual(selected);
      const found = await childrenOf(client, name);
      expect([...found.keys()].sort()).toEqual(selected);
      for (const child of found.values()) expect(imageOf(child)).toBe(image);
    }
  }

  it(
    'never has two children for a pool, and ends as wanted, however often it is killed',
    { timeout: 900_000 },
    async () => {
      await select(names);
      const { violations, childrenCreated, wasted, wasteOfTheDead } = await surviveKills({
        world,
        kills,
        size: `${names.length} pools`,
        children: ['deployments.apps'],
        place: labels.poolName,
        owners: ['yurtappdaemons.apps.openyurt.io', 'uniteddaemonsets.apps.openyurt.io'],
        listOwners: async () =>
          Promise.all(
            wanted.map(async ({ resource, name }) =>
              world.client.get(resource, { namespace: 'default', name }),
            ),
          ),
        changes,
        changeMore,
        electionRounds,
        expectSettled,
      });
      expect(violations).toEqual([]);
      expect(childrenCreated).toBe(expectedChildren);
      expect(wasted).toBeLessThanOrEqual(wasteOfTheDead);
    },
  );
}
