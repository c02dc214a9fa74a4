import { yurtManager } from '@atoll/api';
import { daemonSets, formatKey } from '@atoll/kube';
import type { ControllerRevision, DaemonSet, Deployment, Node, ObjectKey, Pod, Stored } from '@atoll/kube';
import type { Finding } from '../causes/finding.ts';
import type { Findings } from '../causes/findings.ts';
import type { Readers } from '../caches.ts';
import { isTerminating } from '../children/child.ts';
import type { ChildOwner } from '../children/ownership/owner.ts';
import { ownedBy } from '../children/ownership/owned-by.ts';
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
  /** Deployments that run OpenYurt's own controllers: `Deployment kube-system/yurt-manager`. */
  readonly yurtManagers: readonly string[];
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
    yurtManagers: deployments.by('manager', yurtManager).filter(runs).map(described),
    finding: findings.get(uid),
    refused,
  };
}

function isLeftBehind(pod: Stored<Pod>): boolean {
  return !isTerminating(pod) && hasOffer(pod);
}

/** Its controller for DaemonSets is at work. Whether it is healthy this minute is no matter: it will be. */
function runs({ spec, status }: Deployment): boolean {
  const isThere = (spec?.replicas ?? 1) > 0 || (status?.replicas ?? 0) > 0;
  const containers = spec?.template.spec?.containers ?? [];
  return (
    isThere &&
    !containers.some(({ args = [], command = [] }) => isSwitchedOff([...command, ...args].join(' ')))
  );
}

/** The alias of its controller for DaemonSets, and the name since v1.4. */
const controllerNames = ['daemonpodupdater', 'daemon-pod-updater-controller'];

/**
 * Its flag `--controllers` takes names, those with a dash in front to switch off. Where it has neither the name nor `*`, the controller is off too. What
 * is put in from elsewhere (`$(CONTROLLERS)`) is not known.
 */
function isSwitchedOff(commandLine: string): boolean {
  const asked = [...commandLine.matchAll(/--controllers[= ]["']?([^\s"']+)/g)].flatMap(([, names = '']) =>
    names.split(','),
  );
  if (asked.some((name) => controllerNames.includes(name.replace(/^-/, ''))))
    return !asked.some((name) => controllerNames.includes(name));
  return asked.length > 0 && !asked.some((name) => name === '*' || name.includes('$'));
}

function described({ metadata }: Stored<Deployment>): string {
  return `Deployment ${formatKey(metadata)}`;
}
