import { yurtAppDaemons, type PoolWorkload } from '@atoll/api';
import type { Client, Stored } from '@atoll/kube';
import { images, podSpec } from '../rollout/pod-spec.ts';

const name = 'web';
/** The label by which the workload selects the pools of the benchmark. */
export const poolsLabel = 'bench.atoll.dev/selected';

/** One Deployment with one pod in every pool. */
function workload(namespace: string): PoolWorkload {
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

export async function create(client: Client, namespace: string): Promise<Stored<PoolWorkload>> {
  return client.create(yurtAppDaemons, workload(namespace));
}

export async function changeImage(client: Client, namespace: string): Promise<Stored<PoolWorkload>> {
  const path = '/spec/workloadTemplate/deploymentTemplate/spec/template/spec/containers/0/image';
  const body = [{ op: 'replace', path, value: images.second }] as const;
  return client.patch(yurtAppDaemons, { namespace, name }, { type: 'json', body });
}

export async function remove(client: Client, namespace: string): Promise<void> {
  await client.delete(yurtAppDaemons, { namespace, name }, { propagationPolicy: 'Background' });
}
