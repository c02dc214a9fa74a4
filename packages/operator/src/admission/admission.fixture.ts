import type { NodePool, PoolWorkload } from '@atoll/api';
import {
  ObjectCache,
  type CacheDeclaration,
  type Deployment,
  type KubeObject,
  type StatefulSet,
  type Stored,
} from '@atoll/kube';
import { caches } from '../caches.ts';
import type { AdmissionReaders } from './pool-workload/workload-facts.ts';

/** Objects as the API server stores them, and caches that hold them. */

type Fields = Readonly<Record<string, unknown>>;

export const app = { app: 'web' };
const selected = { group: 'yes' };

export function stored<T extends KubeObject>(object: T, uid = `uid-${object.metadata.name}`): Stored<T> {
  const metadata = {
    uid,
    resourceVersion: '1',
    creationTimestamp: '2026-01-01T00:00:00Z',
    ...object.metadata,
  };
  return { ...object, metadata } as unknown as Stored<T>;
}

export function pool(name: string, spec: NodePool['spec'] = {}, labels = selected): Stored<NodePool> {
  return stored<NodePool>({ metadata: { name, labels }, spec });
}

export function workload(
  spec: Fields = {},
  member = 'deploymentTemplate',
  template: Fields = {},
): Stored<PoolWorkload> {
  const pods = { metadata: { labels: app }, spec: { containers: [{ name: 'web', image: 'nginx:1.27' }] } };
  return stored({
    metadata: { namespace: 'shop', name: 'web' },
    spec: {
      selector: { matchLabels: app },
      nodepoolSelector: { matchLabels: selected },
      workloadTemplate: { [member]: { metadata: { labels: app }, spec: { template: pods, ...template } } },
      ...spec,
    },
  } as unknown as PoolWorkload);
}

/** The pods of {@link workload} with another image. */
export function withImage(image: string): Fields {
  return { template: { metadata: { labels: app }, spec: { containers: [{ name: 'web', image }] } } };
}

/** A live child of {@link workload} in a pool. */
export function child(pool: string, replicas = 2, owner = 'uid-web'): Stored<Deployment> {
  return stored({
    metadata: {
      namespace: 'shop',
      name: `web-${pool}`,
      generation: 1,
      ownerReferences: [
        {
          apiVersion: 'apps.openyurt.io/v1alpha1',
          kind: 'YurtAppDaemon',
          name: 'web',
          uid: owner,
          controller: true,
        },
      ],
    },
    spec: { selector: { matchLabels: { ...app, 'apps.openyurt.io/pool-name': pool } }, template: {} },
    status: { replicas },
  } as unknown as Deployment);
}

export function readers(content: {
  readonly pools?: readonly Stored<NodePool>[];
  readonly deployments?: readonly Stored<Deployment>[];
  readonly synced?: boolean;
}): AdmissionReaders {
  const { pools = [], deployments = [], synced = true } = content;
  return {
    nodePools: filled(caches.nodePools, pools, synced),
    deployments: filled(caches.deployments, deployments, synced),
    statefulSets: filled(caches.statefulSets, [] as readonly Stored<StatefulSet>[], synced),
  };
}

function filled<T extends KubeObject>(
  { resource, indexers }: CacheDeclaration<T>,
  items: readonly Stored<T>[],
  synced: boolean,
): ObjectCache<T> {
  const cache = new ObjectCache<T>({ resource, indexers });
  if (synced) cache.replace(items, '10');
  return cache;
}
