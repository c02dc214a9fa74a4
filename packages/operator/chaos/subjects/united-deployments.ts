import { unitedDeployments, type UnitedDeployment } from '@atoll/api';
import { deployments } from '@atoll/kube';
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

/** UnitedDeployments over all zones; their totals and images change. */
export function unitedDeploymentSubject(count: number, { zones }: ChaosFleet): Subject {
  const names = numbered('ud', count);
  let version = 0;
  return {
    kind: 'UnitedDeployment',
    async create(client) {
      for (const name of names) await client.create(unitedDeployments, workload(name, zones));
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
      const path = '/spec/template/deploymentTemplate/spec/template/spec/containers/0/image';
      const body = [{ op: 'replace', path, value: image }] as const;
      await client.patch(unitedDeployments, { namespace, name }, { type: 'json', body });
      return `${name} to ${image}`;
    },
    async unsettled(client) {
      const { items } = await client.list(unitedDeployments, { namespace });
      const open = [...missing(names, items), ...items.flatMap((item) => notReady(item) ?? [])];
      const children = await client.list(deployments, { namespace });
      for (const { metadata, spec } of items) {
        const { name } = metadata;
        // A change without an answer may have come all the same.
        const replicas = spec.replicas ?? 1;
        const image = imageOf(spec.template?.deploymentTemplate?.spec?.template);
        const live = children.items.filter(
          ({ metadata, spec }) =>
            spec?.selector.matchLabels?.['app'] === name && metadata.deletionTimestamp === undefined,
        );
        const sum = live.reduce((total, { spec }) => total + (spec?.replicas ?? 1), 0);
        if (sum !== replicas) open.push(`${name}: children ask for ${sum} replicas, wanted are ${replicas}`);
        const old = live.filter(({ spec }) => spec?.template.spec?.containers[0]?.image !== image);
        if (old.length > 0) open.push(`${name}: ${old.length} children without ${image}`);
      }
      return open;
    },
  };
}

function workload(name: string, zones: readonly string[]): UnitedDeployment {
  const app = { app: name };
  const containers = [{ name: 'web', image: 'web:0' }];
  return {
    metadata: { namespace, name },
    spec: {
      replicas: 4,
      selector: { matchLabels: app },
      template: {
        deploymentTemplate: {
          metadata: { labels: app },
          spec: {
            selector: { matchLabels: app },
            template: { metadata: { labels: app }, spec: { containers } },
          },
        },
      },
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
