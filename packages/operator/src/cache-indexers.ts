import {
  extendedDaemonSetLabels,
  kruiseManager,
  yurtManagers,
  type ExtendedDaemonsetSetting,
} from '@atoll/api';
import { controllerOf, formatKey, type Indexers, type KubeObject, type Node } from '@atoll/kube';
import { poolKeysOf } from './node-pool/nodes/node-key.ts';
import { deploymentOf } from './children/pods/deployment-of-pod.ts';
import { isReplicaSet } from './extended-daemon-set/adoption/former-pods.ts';
import { isDaemonSet } from './extended-daemon-set/migration/old-daemon-set.ts';
import { referencedBy } from './extended-daemon-set/overrides/setting-reference.ts';
import { byOrphanedHistory } from './places/adoption/orphaned-history.ts';
import { byOrphanedPlace } from './places/adoption/orphans.ts';
import { byOwnersName } from './places/adoption/predecessor.ts';

/** Files an object under the uid of its controller: a label alone never makes an object ours. */
export const byOwner = {
  owner: (object: KubeObject): readonly string[] => {
    const owner = controllerOf(object);
    return owner === undefined ? [] : [owner.uid];
  },
};

/** Files a pod under the key of the Deployment that controls it by way of a ReplicaSet. */
export const byDeployment = {
  deployment: (pod: KubeObject): readonly string[] => {
    const { namespace = '' } = pod.metadata;
    const name = deploymentOf(pod);
    return name === undefined ? [] : [formatKey({ namespace, name })];
  },
};

/** What an object that keeps a child in each of its places finds among workloads. */
export const byOwnerOrOrphaned = { ...byOwner, ...byOwnersName, ...byOrphanedPlace };

/** The same among revisions. */
export const byOwnerOrOrphanedHistory = { ...byOwner, ...byOwnersName, ...byOrphanedHistory };

/** Files a workload that runs OpenKruise's manager, in whatever namespace, under its name. */
export const byKruise = {
  kruise: ({ metadata: { name } }: KubeObject): readonly string[] =>
    name === kruiseManager.workload ? [name] : [],
};

const managers: ReadonlySet<string> = new Set(Object.values(yurtManagers));

/** Files a Deployment that runs controllers which Atoll replaces, in whatever namespace, under its name. */
export const byManager = {
  manager: ({ metadata: { name } }: KubeObject): readonly string[] => (managers.has(name) ? [name] : []),
};

/** Files a setting under the key of the object that it names. */
export const byReference: Indexers<ExtendedDaemonsetSetting> = {
  reference: (setting) => [
    formatKey({ namespace: setting.metadata.namespace ?? '', name: referencedBy(setting) }),
  ],
};

/** The key of the ExtendedDaemonSet whose label an object carries. */
function keyOfLabel({ metadata: { namespace = '', labels: found } }: KubeObject): readonly string[] {
  const name = found?.[extendedDaemonSetLabels.name];
  return name === undefined ? [] : [formatKey({ namespace, name })];
}

/** Files a replica set that nobody owns under the key of the ExtendedDaemonSet whose label it carries, so that it can be adopted. */
export const byOwnerOrOrphanedReplicaSet = {
  ...byOwner,
  orphan: (replicaSet: KubeObject): readonly string[] =>
    controllerOf(replicaSet) === undefined ? keyOfLabel(replicaSet) : [],
};

/**
 * Files a pod that nobody owns, and one of a DaemonSet, under the key of the ExtendedDaemonSet whose label it carries: it may be one that
 * is to be replaced. So is one of a replica set, which may be an orphan or gone.
 */
export const byOwnerOrLabelled = {
  ...byOwner,
  labelled: (pod: KubeObject): readonly string[] => {
    const owner = controllerOf(pod);
    const mayBeReplaced = owner === undefined || isDaemonSet(owner) || isReplicaSet(owner);
    return mayBeReplaced ? keyOfLabel(pod) : [];
  },
};

/** Files a node under the keys that may look after it, so that also those are found which left a pool or name none that exists. */
export const byPool: Indexers<Node> = { pool: poolKeysOf };
