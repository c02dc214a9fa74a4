import { daemonSets } from '@atoll/kube';
import type { ControllerRevision, DaemonSet, Node, ObjectKey, Pod, Stored } from '@atoll/kube';
import type { Finding } from '../causes/finding.ts';
import type { Findings } from '../causes/findings.ts';
import type { Readers } from '../caches.ts';
import { isTerminating } from '../children/child.ts';
import type { ChildOwner } from '../children/ownership/owner.ts';
import { ownedBy } from '../children/ownership/owned-by.ts';
import { yurtDaemonSets, yurtManagersOf, type YurtManager } from '../children/ownership/yurt-managers.ts';
import { nothingRefused, type RefusedTrials } from '../engine/refused-trials.ts';
import { isManaged } from './is-managed.ts';
import { hasOffer } from './strategy/need-upgrade.ts';

export interface DaemonSetSnapshot {
  readonly owner: ChildOwner<DaemonSet>;
  /** False while a cache has not been filled: then nothing that is absent proves anything. */
  readonly certain: boolean;
  /** Owned by UID. */
  readonly history: readonly Stored<ControllerRevision>[];
  /** Owned by UID, ending ones included. */
  readonly pods: readonly Stored<Pod>[];
  readonly nodes: readonly Stored<Node>[];
  /** Where OpenYurt's own controller for DaemonSets runs. */
  readonly yurtManagers: readonly YurtManager[];
  /** Why pods are not available, as far as that was found. */
  readonly finding: Finding | undefined;
  /** What the API server refused. */
  readonly refused: RefusedTrials;
}

export type DaemonSetReaders = Pick<
  Readers,
  'daemonSets' | 'daemonSetPods' | 'controllerRevisions' | 'nodes' | 'deployments'
>;

/**
 * undefined: the DaemonSet is gone, or asks for nothing and has nothing of ours. One that was deleted with `--cascade=orphan`, or restored, and made
 * again without the annotation has no condition of ours, and its pods may have theirs.
 */
export function observe(
  readers: DaemonSetReaders,
  key: ObjectKey,
  findings: Findings,
  refused: RefusedTrials = nothingRefused,
): DaemonSetSnapshot | undefined {
  const { daemonSets: owners, daemonSetPods, controllerRevisions, nodes, deployments } = readers;
  const object = owners.get(key);
  if (object === undefined) return undefined;
  const pods = ownedBy(daemonSetPods, object);
  if (!isManaged(object) && !pods.some(isLeftBehind)) return undefined;
  const { uid } = object.metadata;
  return {
    owner: { resource: daemonSets, object },
    certain: [owners, daemonSetPods, controllerRevisions, nodes, deployments].every(({ synced }) => synced),
    history: ownedBy(controllerRevisions, object),
    pods,
    nodes: nodes.list(),
    yurtManagers: yurtManagersOf(yurtDaemonSets, deployments).filter((manager) => manager.runs),
    finding: findings.get(uid),
    refused,
  };
}

function isLeftBehind(pod: Stored<Pod>): boolean {
  return !isTerminating(pod) && hasOffer(pod);
}
