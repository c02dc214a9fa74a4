import { unitedDeployments, type UnitedDeployment } from '@atoll/api';
import { namespaces, type Client, type ObjectKey, type Stored, type StreamingClient } from '@atoll/kube';
import { zoneLabel } from '@atoll/testbed';
import { inParallel } from '../rollout/in-parallel.ts';

export const zones = ['zone-1', 'zone-2', 'zone-3', 'zone-4', 'zone-5'] as const;
export const images = { first: 'nginx:1.27', second: 'nginx:1.28' } as const;

/** As many as the operator's executor has under way. */
const requestsInFlight = 16;

export function nameOf(index: number): string {
  return `web-${String(index).padStart(3, '0')}`;
}

/** One replica in each of five zones, as people write them: resources, probes, a Deployment for each. */
export function unitedDeployment(namespace: string, index: number): UnitedDeployment {
  const name = nameOf(index);
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

const podSpec = {
  containers: [
    {
      name: 'nginx',
      image: images.first as string,
      ports: [{ containerPort: 80, name: 'http' }],
      env: [{ name: 'SIZE', value: 'small' }],
      resources: { requests: { cpu: '50m', memory: '32Mi' }, limits: { memory: '64Mi' } },
      readinessProbe: { httpGet: { path: '/', port: 80 }, periodSeconds: 5 },
    },
  ],
};

export async function createNamespace(client: Client, namespace: string): Promise<void> {
  await client.create(namespaces, { metadata: { name: namespace } });
}

/** Does one thing for each object, as fast as the API server takes it. */
export async function forEach(
  namespace: string,
  count: number,
  work: (key: ObjectKey & { readonly namespace: string }, index: number) => Promise<unknown>,
): Promise<void> {
  await inParallel(count, requestsInFlight, async (index) => work({ namespace, name: nameOf(index) }, index));
}

export async function create(
  client: Client,
  namespace: string,
  index: number,
): Promise<Stored<UnitedDeployment>> {
  return client.create(unitedDeployments, unitedDeployment(namespace, index));
}

export async function changeImage(client: Client, key: ObjectKey): Promise<Stored<UnitedDeployment>> {
  const path = '/spec/template/deploymentTemplate/spec/template/spec/containers/0/image';
  const body = [{ op: 'replace', path, value: images.second }] as const;
  return client.patch(unitedDeployments, key, { type: 'json', body });
}

export async function scale(client: Client, key: ObjectKey, replicas: number): Promise<void> {
  await client.scale(unitedDeployments, key, replicas);
}

/** Ends the objects; the garbage collector takes children and pods. */
export async function deleteAll(client: StreamingClient, namespace: string, count: number): Promise<void> {
  await forEach(namespace, count, async (key) =>
    client.delete(unitedDeployments, key, { propagationPolicy: 'Background' }),
  );
}
