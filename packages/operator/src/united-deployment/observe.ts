import {
  conditionTypes,
  totalReplicas,
  unitedDeployments,
  type Subset,
  type UnitedDeployment,
} from '@atoll/api';
import { compileSelector, formatKey, InvalidSelectorError } from '@atoll/kube';
import type { ControllerRevision, Instant, ObjectKey, Stored } from '@atoll/kube';
import { storedHistory } from '../places/adoption/orphaned-history.ts';
import { besideChildren, nothingBeside, type BesideChildren } from '../places/children/beside-children.ts';
import { ownedChildren } from '../places/children/owned-children.ts';
import type { Place } from '../places/place.ts';
import { isServed, readerOf, type ChildReaders } from '../places/reader-of.ts';
import type { ChildOwner } from '../children/ownership/owner.ts';
import { isTemplateToBeApplied, withOldDefaults } from '../children/revisions/old-defaults.ts';
import {
  decideRevision,
  readHistory,
  type Revision,
  type RevisionDecision,
} from '../children/revisions/revision.ts';
import { nothingRefused, type RefusedTrials } from '../engine/refused-trials.ts';
import { toTimestamp } from '../engine/status/conditions.ts';
import type { Readers } from '../caches.ts';
import type { Finding } from '../causes/finding.ts';
import { findingsOf, type Findings } from '../causes/findings.ts';
import { formerSubsets, subsetNamedBy, type Child } from './subsets/child.ts';
import { childKinds, type ChildKind } from './subsets/child-kind.ts';
import { kruiseFacts, type KruiseFacts, type KruiseReaders } from './kruise/kruise-manager.ts';
import type { SubsetPod } from './scheduling/subset-pods.ts';
import { readTemplate, revisionData } from './template.ts';
import { ownedBy } from '../children/ownership/owned-by.ts';
import { withoutNulls } from './rendering/without-nulls.ts';

export type Owner = ChildOwner<UnitedDeployment>;

/** One subset of the spec. */
export interface DesiredSubset extends Place {
  readonly spec: Subset;
}

/** What the spec asks for, as far as it can be understood. */
export type Desired =
  | {
      readonly ok: true;
      readonly kind: ChildKind;
      /** Whether children of this kind can be read and written: OpenKruise's kinds need not be installed. */
      readonly served: boolean;
      /** In the order of the spec. */
      readonly places: readonly DesiredSubset[];
      readonly revision: RevisionDecision<ChildKind>;
      /** undefined: every subset has a number, and their sum is the total. */
      readonly total: number | undefined;
    }
  | {
      readonly ok: false;
      readonly reason: 'InvalidSelector' | 'InvalidTemplate' | 'NoSubsets' | 'KindUnreadable';
      readonly problem: string;
      /** Where it is known when it began. */
      readonly since?: Instant;
    };

export interface UnitedDeploymentSnapshot extends BesideChildren<ChildKind> {
  readonly owner: Owner;
  /** False while a cache has not been filled: then nothing that is absent proves anything. */
  readonly certain: boolean;
  readonly desired: Desired;
  /** Owned by UID, of all kinds, terminating ones included; in the order of kind and name. */
  readonly children: readonly Child[];
  /** By the uid of the child. */
  readonly pods: Readonly<Record<string, readonly SubsetPod[]>>;
  /** Why children are not healthy, by the uid of the child, as far as that was found. */
  readonly findings: Readonly<Record<string, Finding>>;
  /** With those that are to become ours, and those of which that is not clear yet. */
  readonly history: readonly Revision<ChildKind>[];
  /** Revisions that nobody owns and that are to become ours. */
  readonly orphanedHistory: readonly Stored<ControllerRevision>[];
  /** Who else may serve it. */
  readonly kruise: KruiseFacts;
  /** What the API server refused when it was tried. */
  readonly refused: RefusedTrials;
}

export type UnitedDeploymentReaders = KruiseReaders &
  ChildReaders<ChildKind> &
  Pick<Readers, 'unitedDeployments' | 'controllerRevisions' | 'subsetPods'>;

export function observe(
  readers: UnitedDeploymentReaders,
  key: ObjectKey,
  findings: Findings,
  refused: RefusedTrials = nothingRefused,
): UnitedDeploymentSnapshot | undefined {
  const found = readers.unitedDeployments.get(key);
  if (found === undefined) return undefined;
  const object = withoutNulls(found);
  const owner: Owner = { resource: unitedDeployments, object };
  const former = { data: revisionData, unlabelled: 'CloneSet' } as const;
  const stored = storedHistory(owner, readers.controllerRevisions, former);
  const history = readHistory(stored.all, revisionData);
  const desired = desiredOf(owner, readers, history);
  const children = childrenOf(owner, readers);
  const pods = Object.fromEntries(
    children.map((child) => [child.object.metadata.uid, podsOf(readers, child)]),
  );
  return {
    owner,
    certain: isCertain(readers, desired),
    desired,
    children,
    pods,
    findings: findingsOf(children, findings),
    ...(desired.ok && desired.served ? besideIn(owner, desired, children, readers) : nothingBeside),
    history,
    orphanedHistory: stored.orphaned,
    kruise: kruiseFacts(readers),
    refused,
  };
}

/**
 * The caches that decide. A kind that cannot be read stands in `desired`; of one that is not wanted, a cache that is not
 * filled only hides what is left of it.
 */
function isCertain(readers: UnitedDeploymentReaders, desired: Desired): boolean {
  const { unitedDeployments, deployments, statefulSets, controllerRevisions } = readers;
  const { subsetPods, kruiseKeptOff, kruiseValidatingWebhooks, kruiseMutatingWebhooks } = readers;
  const always = [
    unitedDeployments,
    deployments,
    statefulSets,
    controllerRevisions,
    subsetPods,
    kruiseKeptOff,
    kruiseValidatingWebhooks,
    kruiseMutatingWebhooks,
  ];
  return always.every(({ synced }) => synced) && (!desired.ok || readerOf(readers, desired.kind).synced);
}

function desiredOf(
  owner: Owner,
  readers: UnitedDeploymentReaders,
  history: readonly Revision<ChildKind>[],
): Desired {
  const { spec } = owner.object;
  const selectorProblem = problemOf(spec);
  if (selectorProblem !== undefined) {
    return { ok: false, reason: 'InvalidSelector', problem: selectorProblem };
  }
  const given = readTemplate(spec);
  if (!given.ok) return { ok: false, reason: 'InvalidTemplate', problem: given.problem };
  const subsets = subsetsOf(owner);
  if (subsets.length === 0) {
    return { ok: false, reason: 'NoSubsets', problem: 'spec.topology.subsets names no subset' };
  }
  const { kind } = given.template;
  // Children of another kind that cannot be read would run on beside those that replace them.
  for (const needed of [kind, ...kindsThatRun(owner, history)]) {
    const { unreadable } = readerOf(readers, needed);
    if (unreadable === undefined) continue;
    const { since, why } = unreadable;
    const which = needed === kind ? kind : `${needed} of the children that may run`;
    const problem = `the kind ${which} cannot be read since ${toTimestamp(since)}: ${why}`;
    return { ok: false, reason: 'KindUnreadable', problem, since };
  }
  // Kruise's webhook filled defaults into templates of StatefulSets, and into no others.
  const wasFilled = kind === 'StatefulSet' && !isTemplateToBeApplied(owner.object);
  const asStored = wasFilled ? withOldDefaults(given.template) : undefined;
  const revision = decideRevision(
    owner.object,
    given.template,
    history,
    readers.controllerRevisions,
    asStored,
  );
  return {
    ok: true,
    kind,
    served: isServed(readers, kind),
    places: subsets,
    revision,
    total: totalReplicas(owner.object),
  };
}

/**
 * Of which kinds there may be children, by the status: where every subset had its child of the last template and none was left to delete, of that kind
 * alone.
 */
function kindsThatRun(
  { object: { status } }: Owner,
  history: readonly Revision<ChildKind>[],
): readonly ChildKind[] {
  const { currentRevision, updatedRevision, updateStatus, conditions = [] } = status ?? {};
  const isProvisioned = conditions.some(
    (each) => each.type === conditionTypes.subsetProvisioned && each.status === 'True',
  );
  // Kruise's status has no `updatedRevision` of its own, and its SubsetProvisioned is not ours.
  const names =
    isProvisioned && updatedRevision !== undefined
      ? [updatedRevision]
      : [currentRevision, updatedRevision ?? updateStatus?.updatedRevision];
  return history.flatMap(({ name, template }) => (names.includes(name) ? [template.kind] : []));
}

/** An absent or empty selector would make every pod of the namespace ours. */
function problemOf({ selector }: UnitedDeployment['spec']): string | undefined {
  const found: UnitedDeployment['spec']['selector'] | undefined = selector;
  const clauses = Object.keys(found?.matchLabels ?? {}).length + (found?.matchExpressions ?? []).length;
  if (clauses === 0) return 'spec.selector is empty';
  try {
    compileSelector(found);
    return undefined;
  } catch (error) {
    if (error instanceof InvalidSelectorError) return error.message;
    throw error;
  }
}

/** Each name once; the schema refuses a second, and the first counts. */
function subsetsOf({ object: { spec } }: Owner): readonly DesiredSubset[] {
  const subsets = new Map<string, DesiredSubset>();
  for (const subset of spec.topology?.subsets ?? []) {
    const { name } = subset;
    if (!subsets.has(name)) subsets.set(name, { name, spec: subset });
  }
  return [...subsets.values()];
}

function childrenOf(owner: Owner, readers: UnitedDeploymentReaders): readonly Child[] {
  return ownedChildren(owner, childKinds, (kind) => readerOf(readers, kind), subsetNamedBy);
}

function besideIn(
  owner: Owner,
  desired: Extract<Desired, { ok: true }>,
  children: readonly Child[],
  readers: UnitedDeploymentReaders,
): BesideChildren<ChildKind> {
  const reader = (kind: ChildKind) => readerOf(readers, kind);
  const { controllerRevisions: revisions } = readers;
  return besideChildren(owner, desired, children, childKinds, reader, revisions, formerSubsets);
}

/** Those that the child controls, directly or by way of its ReplicaSets. */
function podsOf({ subsetPods }: UnitedDeploymentReaders, { kind, object }: Child): readonly SubsetPod[] {
  return kind === 'Deployment'
    ? subsetPods.by('deployment', formatKey(object.metadata))
    : ownedBy(subsetPods, object);
}
