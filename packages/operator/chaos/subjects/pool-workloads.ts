import { labels, nodePools, unitedDaemonSets, yurtAppDaemons, type PoolWorkload } from '@atoll/api';
import { deployments, type Resource, type StreamingClient } from '@atoll/kube';
import {
  imageOf,
  missing,
  namespace,
  notReady,
  numbered,
  pick,
  type ChaosFleet,
  type Subject,
} from './subject.ts';

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
    const path = '/spec/workloadTemplate/deploymentTemplate/spec/template/spec/containers/0/image';
    const body = [{ op: 'replace', path, value: image }] as const;
    await client.patch(resource, { namespace, name }, { type: 'json', body });
  };

  return {
    kind,
    async create(client) {
      for (const pool of pools) await setLabel(client, pool, 'yes');
      for (const name of names) await client.create(resource, workload(name, label));
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
      const children = await client.list(deployments, { namespace, labelSelector: labels.workload });
      // A change without an answer may have come all the same.
      const chosen = await client.list(nodePools, { labelSelector: `${label}=yes` });
      selected.clear();
      for (const { metadata } of chosen.items) selected.add(metadata.name);
      for (const { metadata, spec } of items) {
        const { name } = metadata;
        const image = imageOf(spec.workloadTemplate.deploymentTemplate?.spec?.template);
        const live = children.items.filter(
          ({ metadata }) =>
            metadata.labels?.[labels.workload] === name && metadata.deletionTimestamp === undefined,
        );
        const served = live.map(({ metadata }) => metadata.labels?.[labels.poolName] ?? '').toSorted();
        if (served.join() !== [...selected].toSorted().join())
          open.push(`${name}: children for ${served.length} pools, wanted are ${selected.size}`);
        const old = live.filter(({ spec }) => spec?.template.spec?.containers[0]?.image !== image);
        if (old.length > 0) open.push(`${name}: ${old.length} children without ${image}`);
      }
      return open;
    },
  };
}

function workload(name: string, label: string): PoolWorkload {
  const app = { app: name };
  const containers = [{ name: 'web', image: 'web:0' }];
  return {
    metadata: { namespace, name },
    spec: {
      selector: { matchLabels: app },
      nodepoolSelector: { matchLabels: { [label]: 'yes' } },
      workloadTemplate: {
        deploymentTemplate: {
          metadata: { labels: app },
          spec: {
            replicas: 1,
            selector: { matchLabels: app },
            template: { metadata: { labels: app }, spec: { containers } },
          },
        },
      },
    },
  } as PoolWorkload;
}

export const poolWorkloadKinds = [unitedDaemonSets, yurtAppDaemons] as const;
