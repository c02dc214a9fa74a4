import {
  extendedDaemonSets,
  type ExtendedDaemonSet,
  type ExtendedDaemonSetReplicaSet,
  type ExtendedDaemonsetSetting,
  type ValidationMode,
} from '@atoll/api';
import {
  asLabelValue,
  controllerOf,
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
import { installedDefinition, type InstalledDefinition } from '../children/lost-with-definition.ts';
import type { ChildOwner } from '../children/ownership/owner.ts';
import { adoptableReplicaSets, formerPodTemplate } from './adoption/adoptable.ts';
import { formerPods, type FormerPod } from './adoption/former-pods.ts';
import type { ForeignWrites } from './another-controller/conflict.ts';
import { foreignWrites } from './another-controller/foreign-write.ts';
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
   * Owned by the UIDs of those replica sets, and others whose label names the object: those to be replaced, because nobody owns them or the
   * DaemonSet that the object replaces does, and the former ones.
   */
  readonly pods: readonly Stored<Pod>[];
  /** Those of the pods that replica sets control which are not the object's. */
  readonly formerPods: readonly FormerPod[];
  /** Owned by nobody; they were the object's, or its namesake's before it. */
  readonly orphans: readonly Stored<ExtendedDaemonSetReplicaSet>[];
  /** Owned by UID; undefined: there is none. */
  readonly podTemplate: Stored<PodTemplate> | undefined;
  /** It has the name of the object's, and was its namesake's. */
  readonly formerPodTemplate: Stored<PodTemplate> | undefined;
  readonly nodes: readonly Stored<Node>[];
  /** The DaemonSet that the object is to replace, while it is there. */
  readonly oldDaemonSet: OldDaemonSet | undefined;
  /** Those that name this object. */
  readonly settings: readonly Stored<ExtendedDaemonsetSetting>[];
  /** Those of the namespace that name another one: its pods may have been made with them. */
  readonly settingsOfOthers: readonly Stored<ExtendedDaemonsetSetting>[];
  readonly definitionOfSettings: InstalledDefinition;
  /** Of other controllers: of its replica sets, and of those that it may adopt. */
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
  | 'definitionOfExtendedDaemonsetSettings'
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
  const { extendedDaemonSets: owners, extendedDaemonSetReplicaSets: replicaSets, nodes } = readers;
  const { extendedDaemonsetSettings: settings, extendedDaemonSetPods: pods, daemonSets } = readers;
  const { definitionOfExtendedDaemonsetSettings: definition } = readers;
  const object = owners.get(key);
  const own = settings.by('reference', formatKey(key));
  if (object === undefined && own.length === 0) return undefined;
  const found = object === undefined ? nothingFound : foundFor(object, readers);
  return {
    ...found,
    certain: [
      owners,
      replicaSets,
      settings,
      definition,
      pods,
      readers.extendedDaemonSetPodTemplates,
      daemonSets,
      nodes,
    ].every(({ synced }) => synced),
    nodes: nodes.list(),
    settings: own,
    settingsOfOthers: settings
      .list()
      .filter((each) => each.metadata.namespace === key.namespace && !own.includes(each)),
    definitionOfSettings: installedDefinition(settings, definition),
    foreignWrites: {
      own: foreignWrites([...found.replicaSets, ...found.orphans]),
      elsewhere: found.replicaSets.length === 0 ? foreignWrites(replicaSets.list()) : [],
    },
    validationMode,
    findings: findingsOf(
      found.replicaSets.map((each) => ({ object: each })),
      findings,
    ),
    refused,
  };
}

/** What is there for an object that exists. */
type FoundForObject = Pick<
  ExtendedDaemonSetSnapshot,
  | 'owner'
  | 'replicaSets'
  | 'orphans'
  | 'pods'
  | 'formerPods'
  | 'oldDaemonSet'
  | 'podTemplate'
  | 'formerPodTemplate'
>;

const nothingFound: FoundForObject = {
  owner: undefined,
  replicaSets: [],
  orphans: [],
  pods: [],
  formerPods: [],
  oldDaemonSet: undefined,
  podTemplate: undefined,
  formerPodTemplate: undefined,
};

function foundFor(
  object: Stored<ExtendedDaemonSet>,
  {
    extendedDaemonSets: owners,
    extendedDaemonSetReplicaSets: replicaSets,
    extendedDaemonSetPods: pods,
    extendedDaemonSetPodTemplates: podTemplates,
    daemonSets,
    replacedDaemonSetPods,
  }: ExtendedDaemonSetReaders,
): FoundForObject {
  const { namespace = '', name } = object.metadata;
  const labelled = formatKey({ namespace, name: asLabelValue(name) });
  const own = ownedBy(replicaSets, object);
  const ownUids = new Set(own.map(({ metadata }) => metadata.uid));
  // Nearly all pods that carry the label are of its own replica sets.
  const others = pods.by('labelled', labelled).filter((pod) => !ownUids.has(controllerOf(pod)?.uid ?? ''));
  const former = formerPods(object, others, replicaSets);
  return {
    owner: { resource: extendedDaemonSets, object },
    replicaSets: own,
    orphans: adoptableReplicaSets(object, replicaSets.by('orphan', labelled)),
    pods: [
      ...own.flatMap((replicaSet) => ownedBy(pods, replicaSet)),
      ...others.filter((pod) => isReplaced(pod, object)),
      ...former.map(({ pod }) => pod),
    ],
    formerPods: former,
    oldDaemonSet: oldDaemonSetOf(object, owners, daemonSets, replacedDaemonSetPods),
    podTemplate: ownedBy(podTemplates, object)[0],
    formerPodTemplate: formerPodTemplate(object, podTemplates.get({ namespace, name })),
  };
}
