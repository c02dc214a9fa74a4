import {
  extendedDaemonSets,
  type ExtendedDaemonSet,
  type ExtendedDaemonSetReplicaSet,
  type ExtendedDaemonsetSetting,
  type ValidationMode,
} from '@atoll/api';
import {
  asLabelValue,
  formatKey,
  type Node,
  type ObjectKey,
  type Pod,
  type PodTemplate,
  type Stored,
} from '@atoll/kube';
import type { Finding } from '../causes/finding.ts';
import { findingsOf, noFindings, type Findings } from '../causes/findings.ts';
import type { Readers } from '../caches.ts';
import type { ChildOwner } from '../children/ownership/owner.ts';
import type { ForeignWrites } from './another-controller/conflict.ts';
import { lastForeignWrite } from './another-controller/foreign-write.ts';
import { nothingRefused, type RefusedTrials } from '../engine/refused-trials.ts';
import { ownedBy } from '../children/ownership/owned-by.ts';
import { isReplaced, oldDaemonSetOf, type OldDaemonSet } from './migration/old-daemon-set.ts';

export interface ExtendedDaemonSetSnapshot {
  /** undefined: there are settings for an object that does not exist. */
  readonly owner: ChildOwner<ExtendedDaemonSet> | undefined;
  /** False while a cache has not been filled: then nothing that is absent proves anything. */
  readonly certain: boolean;
  /** Owned by UID, those that are being deleted included. */
  readonly replicaSets: readonly Stored<ExtendedDaemonSetReplicaSet>[];
  /**
   * Owned by the UIDs of those replica sets, and those to be replaced whose label names the object: nobody owns them, or the DaemonSet
   * that the object replaces does.
   */
  readonly pods: readonly Stored<Pod>[];
  /** Owned by UID; undefined: there is none. */
  readonly podTemplate: Stored<PodTemplate> | undefined;
  readonly nodes: readonly Stored<Node>[];
  /** The DaemonSet that the object is to replace, while it is there. */
  readonly oldDaemonSet: OldDaemonSet | undefined;
  /** Those that name this object. */
  readonly settings: readonly Stored<ExtendedDaemonsetSetting>[];
  /** Of other controllers. */
  readonly foreignWrites: ForeignWrites;
  /** How a canary ends whose object does not state it. */
  readonly validationMode: ValidationMode;
  /** Why pods of replica sets are not Ready, by the uid of the replica set, as far as that was found. */
  readonly findings: Readonly<Record<string, Finding>>;
  /** What the API server refused when it was tried. */
  readonly refused: RefusedTrials;
}

export type ExtendedDaemonSetReaders = Pick<
  Readers,
  | 'extendedDaemonSets'
  | 'extendedDaemonSetReplicaSets'
  | 'extendedDaemonsetSettings'
  | 'extendedDaemonSetPods'
  | 'extendedDaemonSetPodTemplates'
  | 'replacedDaemonSetPods'
  | 'daemonSets'
  | 'nodes'
>;

/**
 * Everything is found by namespace and UID, never by a label alone: another object of the same name, in whatever namespace, has no part in it
 * (BUG-1). undefined: neither the object nor a setting for it is there.
 */
export function observe(
  readers: ExtendedDaemonSetReaders,
  key: ObjectKey,
  validationMode: ValidationMode,
  findings: Findings = noFindings,
  refused: RefusedTrials = nothingRefused,
): ExtendedDaemonSetSnapshot | undefined {
  const {
    extendedDaemonSets: owners,
    extendedDaemonSetReplicaSets: replicaSets,
    extendedDaemonsetSettings: settings,
    extendedDaemonSetPods: pods,
    extendedDaemonSetPodTemplates: podTemplates,
    daemonSets,
    replacedDaemonSetPods,
    nodes,
  } = readers;
  const object = owners.get(key);
  const own = settings.by('reference', formatKey(key));
  if (object === undefined && own.length === 0) return undefined;
  const found = object === undefined ? [] : ownedBy(replicaSets, object);
  return {
    owner: object === undefined ? undefined : { resource: extendedDaemonSets, object },
    certain: [owners, replicaSets, settings, pods, podTemplates, daemonSets, nodes].every(
      ({ synced }) => synced,
    ),
    replicaSets: found,
    pods: [
      ...found.flatMap((replicaSet) => ownedBy(pods, replicaSet)),
      ...(object === undefined
        ? []
        : pods
            .by('labelled', formatKey({ ...key, name: asLabelValue(key.name) }))
            .filter((pod) => isReplaced(pod, object))),
    ],
    oldDaemonSet:
      object === undefined ? undefined : oldDaemonSetOf(object, daemonSets, replacedDaemonSetPods),
    podTemplate: object === undefined ? undefined : ownedBy(podTemplates, object)[0],
    nodes: nodes.list(),
    settings: own,
    foreignWrites: {
      own: lastForeignWrite(found),
      elsewhere: found.length === 0 ? lastForeignWrite(replicaSets.list()) : undefined,
    },
    validationMode,
    findings: findingsOf(
      found.map((object) => ({ object })),
      findings,
    ),
    refused,
  };
}
