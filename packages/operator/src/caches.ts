import { nodePools, unitedDaemonSets, yurtAppDaemons } from '@atoll/api';
import { controllerOf, controllerRevisions, deployments, nodes, projection, statefulSets } from '@atoll/kube';
import type {
  Deployment,
  Indexers,
  KubeObject,
  Node,
  Projection,
  Reader,
  Resource,
  StatefulSet,
} from '@atoll/kube';
import { poolKeysOf } from './node-pool/node-key.ts';

/** How one resource is kept in memory. */
export interface CacheDeclaration<T extends KubeObject> {
  readonly resource: Resource<T>;
  readonly indexers: Indexers<T>;
  /** undefined: the whole object. */
  readonly projection?: Projection<T>;
}

/** Files a child under the uid of its controller: a label alone never makes an object ours. */
const byOwner = {
  owner: (object: KubeObject): readonly string[] => {
    const owner = controllerOf(object);
    return owner === undefined ? [] : [owner.uid];
  },
};

/** Files a node under the keys that may look after it, so that also those are found which left a pool or name none that exists. */
const byPool: Indexers<Node> = { pool: poolKeysOf };

/** What controllers read of a node. Heartbeats, images and addresses never become objects. */
const nodeFields = projection<Node>()(
  'metadata.labels',
  'metadata.annotations',
  'spec.taints',
  'spec.unschedulable',
  'status.conditions.type',
  'status.conditions.status',
  'status.conditions.lastTransitionTime',
);

/**
 * What controllers read of a child: all that people wrote and its status. Of its fields' owners only who they are, and
 * whether they own what decides how a child is taken over or its replicas are let go.
 */
const childFields = [
  'metadata.generation',
  'metadata.labels',
  'metadata.annotations',
  'metadata.ownerReferences',
  'metadata.managedFields.manager',
  'metadata.managedFields.operation',
  'metadata.managedFields.subresource',
  'metadata.managedFields.fieldsV1.f:spec.f:replicas',
  'metadata.managedFields.fieldsV1.f:spec.f:selector',
  'spec',
  'status',
] as const;

/** Every cache of the operator, declared once: what it holds, how it is indexed, which fields it keeps. */
export const caches = {
  nodePools: cache({ resource: nodePools, indexers: {} }),
  unitedDaemonSets: cache({ resource: unitedDaemonSets, indexers: {} }),
  yurtAppDaemons: cache({ resource: yurtAppDaemons, indexers: {} }),
  nodes: cache({ resource: nodes, indexers: byPool, projection: nodeFields }),
  deployments: cache({
    resource: deployments,
    indexers: byOwner,
    projection: projection<Deployment>()(...childFields),
  }),
  statefulSets: cache({
    resource: statefulSets,
    indexers: byOwner,
    projection: projection<StatefulSet>()(...childFields),
  }),
  controllerRevisions: cache({ resource: controllerRevisions, indexers: byOwner }),
} as const;

export type CacheName = keyof typeof caches;

/** What controllers are made of: one reader for each declared cache. */
export type Readers = {
  readonly [Name in CacheName]: (typeof caches)[Name] extends CacheDeclaration<infer T> ? Reader<T> : never;
};

function cache<T extends KubeObject>(declaration: CacheDeclaration<T>): CacheDeclaration<T> {
  return declaration;
}
