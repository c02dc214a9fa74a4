import { labels, nodePools, unitedDaemonSets, yurtAppDaemons, type PoolWorkload } from '@atoll/api';
import type { Resource, StreamingClient } from '@atoll/kube';
import { childTemplate, imageChange, liveChildren, otherThanWanted, wantedChildren } from './children.ts';
import { missing, namespace, notReady, numbered, pick, type ChaosFleet, type Subject } from './subject.ts';

/** UnitedDaemonSets or YurtAppDaemons in the pools of one group; their images change, and pools change groups. */
export function poolWorkloads(
  resource: Resource<PoolWorkload>,
  count: number,
  { pools }: ChaosFleet,
): Subject {
  const { kind } = resource;
  const names = numbered(kind.toLowerCase(), count);
  /** Pools of which the label `<kind>` is `yes`. */
  const selected = new Set(pools);
  const label = `chaos.example/${kind.toLowerCase()}`;
  let version = 0;

  const setLabel = async (client: StreamingClient, pool: string, value: 'yes' | 'no'): Promise<void> => {
    const body = { metadata: { labels: { [label]: value } } };
    await client.patch(nodePools, { name: pool }, { type: 'merge', body });
  };
  const setImage = async (client: StreamingClient, name: string, image: string): Promise<void> => {
    const body = imageChange('/spec/workloadTemplate', names.indexOf(name), image);
    await client.patch(resource, { namespace, name }, { type: 'json', body });
  };

  return {
    kind,
    async create(client) {
      for (const pool of pools) await setLabel(client, pool, 'yes');
      for (const [index, name] of names.entries())
        await client.create(resource, workload(name, index, label));
    },
    async change(client, random) {
      if (random() < 0.3) {
        const pool = pick(pools, random);
        const leaves = selected.has(pool) && selected.size > 1;
        await setLabel(client, pool, leaves ? 'no' : 'yes');
        if (leaves) selected.delete(pool);
        else selected.add(pool);
        return `${pool} ${leaves ? 'leaves' : 'joins'} ${kind}s`;
      }
      const name = pick(names, random);
      const image = `web:${(version += 1)}`;
      await setImage(client, name, image);
      return `${name} to ${image}`;
    },
    async unsettled(client) {
      const { items } = await client.list(resource, { namespace });
      const open = [...missing(names, items), ...items.flatMap((item) => notReady(item) ?? [])];
      const children = await liveChildren(client);
      // A change without an answer may have come all the same.
      const chosen = await client.list(nodePools, { labelSelector: `${label}=yes` });
      selected.clear();
      for (const { metadata } of chosen.items) selected.add(metadata.name);
      for (const { metadata, spec } of items) {
        const { name } = metadata;
        const live = children.filter(({ metadata }) => metadata.labels?.[labels.workload] === name);
        const served = live.map(({ metadata }) => metadata.labels?.[labels.poolName] ?? '').toSorted();
        if (served.join() !== [...selected].toSorted().join())
          open.push(`${name}: children for ${served.length} pools, wanted are ${selected.size}`);
        open.push(...otherThanWanted(name, live, wantedChildren(spec.workloadTemplate)));
      }
      return open;
    },
  };
}

function workload(name: string, index: number, label: string): PoolWorkload {
  return {
    metadata: { namespace, name },
    spec: {
      selector: { matchLabels: { app: name } },
      nodepoolSelector: { matchLabels: { [label]: 'yes' } },
      workloadTemplate: childTemplate(name, index, { replicas: 1 }),
    },
  } as PoolWorkload;
}

export const poolWorkloadKinds = [unitedDaemonSets, yurtAppDaemons] as const;
