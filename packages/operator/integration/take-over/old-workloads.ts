import { yurtAppDaemons, type NodePool, type PoolWorkload } from '@atoll/api';
import {
  controllerRevisions,
  deployments,
  pods,
  replicaSets,
  type Deployment,
  type ManagedFieldsEntry,
  type Stored,
  type StreamingClient,
} from '@atoll/kube';
import { expect } from 'vitest';
import {
  oldChild,
  oldRevision,
  type OldChild,
} from '../../src/pool-workload/take-over/old-operator.fixture.ts';
import { eventually } from '../set-up/standing.ts';

/** Workloads as the old operators of OpenYurt leave them on a real API server, and what runs of them. */
export const namespace = 'default';

export const hz: NodePool = {
  metadata: { name: 'hz', labels: { tier: 'a' } },
  spec: { taints: [{ key: 'edge', value: 'x', effect: 'NoSchedule' }] },
};
export const bj: NodePool = { metadata: { name: 'bj', labels: { tier: 'a' } } };

/** As the old webhook's defaults leave a template; the node affinity is what the old operator drops. */
export function workload(name: string, fields: object = {}): PoolWorkload {
  const app = { app: name };
  const required = {
    nodeSelectorTerms: [{ matchExpressions: [{ key: 'example.com/no-such', operator: 'DoesNotExist' }] }],
  };
  const template = {
    metadata: { labels: app, annotations: { 'example.com/note': 'of the template' } },
    spec: {
      replicas: 2,
      selector: { matchLabels: app },
      template: {
        metadata: { labels: app },
        spec: {
          restartPolicy: 'Always',
          dnsPolicy: 'ClusterFirst',
          schedulerName: 'default-scheduler',
          terminationGracePeriodSeconds: 30,
          securityContext: {},
          nodeSelector: { disk: 'ssd' },
          tolerations: [{ key: 'k', operator: 'Exists' }],
          affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } },
          containers: [
            {
              name: 'web',
              image: 'nginx:1.27',
              imagePullPolicy: 'Always',
              terminationMessagePath: '/dev/termination-log',
              terminationMessagePolicy: 'File',
              resources: {},
              env: [{ name: 'LEVEL', value: 'info' }],
              ports: [{ containerPort: 80, protocol: 'TCP' }],
            },
          ],
        },
      },
      ...fields,
    },
  };
  return {
    metadata: { namespace, name },
    spec: {
      selector: { matchLabels: app },
      nodepoolSelector: { matchLabels: { tier: 'a' } },
      revisionHistoryLimit: 10,
      workloadTemplate: { deploymentTemplate: template },
    },
  } as unknown as PoolWorkload;
}

/** Makes a workload and what the old operator would have made of it. */
export async function leave(
  client: StreamingClient,
  name: string,
  shape: Partial<OldChild>,
  manager: string,
  fields?: object,
): Promise<void> {
  const owner = await client.create(yurtAppDaemons, workload(name, fields), {
    fieldManager: 'kubectl-create',
  });
  const revision = `${name}-5d4f8c`;
  await client.create(controllerRevisions, oldRevision(owner, revision, 1), { fieldManager: manager });
  for (const pool of [hz, bj]) {
    const child = oldChild({ owner, pool, suffix: 'x7k2p', revision, ...shape });
    await client.create(deployments, child, { fieldManager: manager });
  }
  const body = { status: { currentRevision: revision, templateType: 'Deployment', nodepools: ['hz', 'bj'] } };
  await client.patch(
    yurtAppDaemons,
    owner.metadata,
    { type: 'merge', body },
    { subresource: 'status', fieldManager: manager },
  );
}

export async function childrenOf(
  client: StreamingClient,
  name: string,
): Promise<readonly Stored<Deployment>[]> {
  const { items } = await client.list(deployments, { namespace, labelSelector: `app=${name}` });
  return items
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
}

/** Everything that a restart of a pod would change. */
export async function running(client: StreamingClient, name: string): Promise<unknown> {
  const [children, sets, live] = await Promise.all([
    childrenOf(client, name),
    client.list(replicaSets, { namespace, labelSelector: `app=${name}` }),
    client.list(pods, { namespace, labelSelector: `app=${name}` }),
  ]);
  return {
    templates: children.map(({ metadata, spec }) => [
      metadata.name,
      metadata.uid,
      spec?.template,
      spec?.selector,
    ]),
    replicaSets: sets.items.map(({ metadata }) => metadata.name).toSorted(),
    pods: live.items.map(({ metadata }) => metadata.uid).toSorted(),
  };
}

/** Waits until nothing moves any more: each pod is of the present template and available, and none is going. */
export async function steady(client: StreamingClient, name: string): Promise<void> {
  await eventually(async () => {
    let wanted = 0;
    for (const { metadata, spec, status } of await childrenOf(client, name)) {
      const replicas = spec?.replicas ?? 1;
      wanted += replicas;
      expect(status).toMatchObject({
        observedGeneration: metadata.generation,
        replicas,
        updatedReplicas: replicas,
        availableReplicas: replicas,
      });
    }
    const { items } = await client.list(pods, { namespace, labelSelector: `app=${name}` });
    expect(items.map(({ metadata }) => metadata.deletionTimestamp)).toEqual(Array(wanted).fill(undefined));
  });
}

export function owners(child: Stored<Deployment>): readonly string[] {
  const entries: readonly ManagedFieldsEntry[] = child.metadata.managedFields ?? [];
  return entries
    .filter(({ subresource }) => subresource === undefined)
    .map((e) => `${e.manager} ${e.operation}`);
}
