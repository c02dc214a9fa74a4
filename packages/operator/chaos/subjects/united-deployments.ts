import { unitedDeployments, type UnitedDeployment } from '@atoll/api';
import { childTemplate, imageChange, liveChildren, otherThanWanted, wantedChildren } from './children.ts';
import { missing, namespace, notReady, numbered, pick, type ChaosFleet, type Subject } from './subject.ts';

/** UnitedDeployments over all zones; their totals and images change. */
export function unitedDeploymentSubject(count: number, { zones }: ChaosFleet): Subject {
  const names = numbered('ud', count);
  let version = 0;
  return {
    kind: 'UnitedDeployment',
    async create(client) {
      for (const [index, name] of names.entries())
        await client.create(unitedDeployments, workload(name, index, zones));
    },
    async change(client, random) {
      const name = pick(names, random);
      if (random() < 0.5) {
        const replicas = Math.floor(random() * 9);
        const body = { spec: { replicas } };
        await client.patch(unitedDeployments, { namespace, name }, { type: 'merge', body });
        return `${name} to ${replicas} replicas`;
      }
      const image = `web:${(version += 1)}`;
      const body = imageChange('/spec/template', names.indexOf(name), image);
      await client.patch(unitedDeployments, { namespace, name }, { type: 'json', body });
      return `${name} to ${image}`;
    },
    async unsettled(client) {
      const { items } = await client.list(unitedDeployments, { namespace });
      const open = [...missing(names, items), ...items.flatMap((item) => notReady(item) ?? [])];
      const children = await liveChildren(client);
      for (const { metadata, spec } of items) {
        const { name } = metadata;
        // A change without an answer may have come all the same.
        const replicas = spec.replicas ?? 1;
        const live = children.filter(({ spec }) => spec?.selector.matchLabels?.['app'] === name);
        const sum = live.reduce((total, { spec }) => total + (spec?.replicas ?? 1), 0);
        if (sum !== replicas) open.push(`${name}: children ask for ${sum} replicas, wanted are ${replicas}`);
        open.push(...otherThanWanted(name, live, wantedChildren(spec.template)));
      }
      return open;
    },
  };
}

function workload(name: string, index: number, zones: readonly string[]): UnitedDeployment {
  return {
    metadata: { namespace, name },
    spec: {
      replicas: 4,
      selector: { matchLabels: { app: name } },
      template: childTemplate(name, index),
      topology: {
        subsets: zones.map((zone) => ({
          name: zone,
          nodeSelectorTerm: {
            matchExpressions: [{ key: 'topology.kubernetes.io/zone', operator: 'In', values: [zone] }],
          },
        })),
      },
    },
  } as UnitedDeployment;
}
