import { yurtAppDaemons, type PoolWorkload } from '@atoll/api';
import { namespaces, type Client } from '@atoll/kube';

export const name = 'web';
/** The label by which the workload selects the pools of the benchmark. */
export const poolsLabel = 'bench.atoll.dev/selected';
export const images = { first: 'nginx:1.27', second: 'nginx:1.28' } as const;

/** One Deployment with one pod in every pool, as people write them: resources, probes, a strategy. */
export function workload(namespace: string): PoolWorkload {
  const labels = { app: name };
  return {
    metadata: { name, namespace },
    spec: {
      selector: { matchLabels: labels },
      nodepoolSelector: { matchLabels: { [poolsLabel]: 'true' } },
      workloadTemplate: {
        deploymentTemplate: {
          metadata: { labels },
          spec: {
            replicas: 1,
            selector: { matchLabels: labels },
            template: { metadata: { labels }, spec: podSpec },
          },
        },
      },
    },
  } as PoolWorkload;
}

const podSpec = {
  containers: [
    {
      name: 'nginx',
      image: images.first as string,
      ports: [{ containerPort: 80, name: 'http' }],
      env: [{ name: 'POOL_SIZE', value: 'small' }],
      resources: { requests: { cpu: '50m', memory: '32Mi' }, limits: { memory: '64Mi' } },
      readinessProbe: { httpGet: { path: '/', port: 80 }, periodSeconds: 5 },
    },
  ],
};

export async function createWorkload(client: Client, namespace: string) {
  return client.create(yurtAppDaemons, workload(namespace));
}

export async function createNamespace(client: Client, namespace: string): Promise<void> {
  await client.create(namespaces, { metadata: { name: namespace } });
}

export async function changeImage(client: Client, namespace: string) {
  const path = '/spec/workloadTemplate/deploymentTemplate/spec/template/spec/containers/0/image';
  const body = [{ op: 'replace', path, value: images.second }] as const;
  return client.patch(yurtAppDaemons, { namespace, name }, { type: 'json', body });
}

/** Ends the workload; the garbage collector takes children and pods. */
export async function deleteWorkload(client: Client, namespace: string): Promise<void> {
  await client.delete(yurtAppDaemons, { namespace, name }, { propagationPolicy: 'Background' });
}
