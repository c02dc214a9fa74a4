import { unitedDeployments, type UnitedDeployment } from '@atoll/api';
import type { Client, ObjectKey, Stored } from '@atoll/kube';
import { zoneLabel } from '@atoll/testbed';
import { images, podSpec } from '../rollout/pod-spec.ts';

export const zones = ['zone-1', 'zone-2', 'zone-3', 'zone-4', 'zone-5'] as const;

export type Key = ObjectKey & { readonly namespace: string };

export function keysIn(namespace: string, count: number): readonly Key[] {
  return Array.from({ length: count }, (_, index) => ({
    namespace,
    name: `web-${String(index).padStart(3, '0')}`,
  }));
}

/** One replica in each of five zones, a Deployment for each. */
function unitedDeployment({ namespace, name }: Key): UnitedDeployment {
  const labels = { app: name };
  return {
    metadata: { name, namespace },
    spec: {
      replicas: zones.length,
      selector: { matchLabels: labels },
      template: {
        deploymentTemplate: {
          metadata: { labels },
          spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: podSpec } },
        },
      },
      topology: {
        subsets: zones.map((zone) => ({
          name: zone,
          nodeSelectorTerm: { matchExpressions: [{ key: zoneLabel, operator: 'In', values: [zone] }] },
        })),
      },
    },
  };
}

export async function create(client: Client, key: Key): Promise<Stored<UnitedDeployment>> {
  return client.create(unitedDeployments, unitedDeployment(key));
}

export async function changeImage(client: Client, key: Key): Promise<Stored<UnitedDeployment>> {
  const path = '/spec/template/deploymentTemplate/spec/template/spec/containers/0/image';
  const body = [{ op: 'replace', path, value: images.second }] as const;
  return client.patch(unitedDeployments, key, { type: 'json', body });
}

export async function scale(client: Client, key: Key, replicas: number): Promise<void> {
  await client.scale(unitedDeployments, key, replicas);
}

export async function remove(client: Client, key: Key): Promise<void> {
  await client.delete(unitedDeployments, key, { propagationPolicy: 'Background' });
}
