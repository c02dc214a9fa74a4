import { annotations, labels, subsetRemovals } from '@atoll/api';
import type { Instant } from '@atoll/kube';
import { byAge, byService, isTerminating } from '../engine/children/child.ts';
import { healthOf, partitionOf, type ChildHealth } from '../engine/children/child-health.ts';
import { neededRevisions } from '../engine/children/needed-revisions.ts';
import type { Revision } from '../engine/children/revision.ts';
import type { Hold } from '../engine/hold.ts';
import { chooseTargets } from '../engine/rollout/choose-targets.ts';
import type { Target } from '../engine/rollout/target.ts';
import { allocate, type Allocation } from './allocation/allocate.ts';
import type { Child } from './child.ts';
import type { ChildKind } from './child-kind.ts';
import type { Occupant, SubsetWish, UnitedDeploymentSnapshot, Wish } from './observe.ts';
import { partitionsOf, type RefusedPartition } from './partitions.ts';
import { patchProblem } from './render-pods.ts';
import { countUpdated, type SubsetPod, type UpdatedPods } from './subset-pods.ts';

export type Understood = Extract<Wish, { ok: true }>;

/** What is decided for one subset of the spec. */
export interface SubsetDecision {
  readonly subset: SubsetWish;
  readonly target: Target;
  /** The child that serves the subset; of several one that has available pods, of those the oldest. */
  readonly child: Child | undefined;
  readonly health: ChildHealth | undefined;
  readonly pods: readonly SubsetPod[];
  readonly updatedPods: UpdatedPods;
  /** undefined: the child runs something that the history has lost, and may not move: it is left alone. */
  readonly revision: Revision<ChildKind> | undefined;
  /** As allocated. */
  readonly replicas: number;
  readonly partition: number;
  readonly occupant: Occupant | undefined;
  /** What is wrong with its patch, which keeps the child as it is. */
  readonly patchProblem: string | undefined;
  /** A child that nobody owns and that becomes ours before another is made. */
  readonly orphan: Child | undefined;
}

/** A child that has to go. */
export interface Surplus {
  readonly child: Child;
  readonly because:
    /** The spec does not name its subset any more. */
    | { readonly removed: true }
    /** `byStatus`: an older one, which goes because it has no available pods and the other has. */
    | { readonly twinOf: string; readonly byStatus: boolean }
    /** It served the subset before the template became one of another kind. */
    | { readonly replacedBy: string };
}

export interface Decision {
  /** In the order of the spec. */
  readonly subsets: readonly SubsetDecision[];
  readonly surplus: readonly Surplus[];
  /** Children that are to go and stay until others have taken their place. */
  readonly awaited: readonly Child[];
  readonly allocation: Allocation;
  readonly refusedPartitions: readonly RefusedPartition[];
  /** From the one place that chooses who may move. */
  readonly rolloutHolds: readonly Hold[];
  readonly needed: ReadonlySet<string>;
}

/** Plan and report ask the same of a snapshot; time plays a part, so the answer holds for its moment. */
const decisions = new WeakMap<
  UnitedDeploymentSnapshot,
  { readonly at: Instant; readonly decision: Decision }
>();

/** For each subset the child that serves it, its number and its revision; and who is too many. */
export function decide(snapshot: UnitedDeploymentSnapshot, wish: Understood, now: Instant): Decision {
  const known = decisions.get(snapshot);
  if (known?.at === now) return known.decision;
  const decision = decideAnew(snapshot, wish);
  decisions.set(snapshot, { at: now, decision });
  return decision;
}

/** What was decided last for the snapshot: what its plan was made of. */
export function decided(snapshot: UnitedDeploymentSnapshot): Decision | undefined {
  return decisions.get(snapshot)?.decision;
}

function decideAnew(snapshot: UnitedDeploymentSnapshot, wish: Understood): Decision {
  const live = snapshot.children.filter((child) => !isTerminating(child.object)).sort(byService);
  const serving = new Map<string, Child>();
  /** Children of another kind, as long as there is none of the wanted one. */
  const before = new Map<string, Child>();
  for (const child of live) {
    const map = child.kind === wish.kind ? serving : before;
    if (child.subset !== undefined && !map.has(child.subset)) map.set(child.subset, child);
  }
  const childOf = (name: string): Child | undefined => serving.get(name) ?? before.get(name);
  const allocation = allocateTo(wish, childOf);
  const partitions = partitionsFor(snapshot, wish, allocation, serving);
  const listed = wish.subsets.map((subset) => {
    const child = serving.get(subset.name);
    const health = child === undefined ? undefined : healthOf(child);
    return { subset, child, health, target: targetOf(subset, child, health, wish.revision.update) };
  });
  const chosen = chooseTargets(listed.map(({ target }) => target));
  const mayMove = new Set(chosen.move);
  const revisions = new Map([...snapshot.history, wish.revision.update].map((each) => [each.label, each]));
  const subsets = listed.map((each): SubsetDecision => {
    const { subset, child, target } = each;
    const stays =
      target.revision !== undefined && target.revision !== target.wanted && !mayMove.has(target.id);
    const pods = child === undefined ? [] : (snapshot.pods[child.object.metadata.uid] ?? []);
    const revision = revisions.get(stays ? (target.revision ?? '') : target.wanted);
    return {
      ...each,
      pods,
      updatedPods: child === undefined ? { updated: 0, updatedReady: 0 } : updatedPodsOf(child, pods, target),
      revision,
      patchProblem: revision === undefined ? undefined : patchProblem(revision.template, subset),
      replicas: allocation.replicas[subset.name] ?? 0,
      partition: partitions.values[subset.name] ?? 0,
      occupant: snapshot.occupants[subset.childName],
      orphan:
        child === undefined ? snapshot.orphans.find((found) => found.subset === subset.name) : undefined,
    };
  });
  const { update } = wish.revision;
  const current = snapshot.owner.object.status?.currentRevision;
  return {
    subsets,
    ...surplusOf(snapshot, wish, live, subsets),
    allocation,
    refusedPartitions: partitions.refused,
    rolloutHolds: chosen.holds,
    needed: neededRevisions(update, snapshot.history, current, snapshot.children, labels.subsetRevision),
  };
}

/** Whether nothing is left to do for the subset. */
export function isSettled({ target, health, child, replicas }: SubsetDecision): boolean {
  return (
    target.revision === target.wanted &&
    child?.object.spec?.replicas === replicas &&
    health?.updated === true &&
    health.available
  );
}

/** Whether every pod of the subset runs the wanted revision and is available: a partition holds back that. */
export function isFullyUpdated(decision: SubsetDecision): boolean {
  const { health, replicas } = decision;
  return isSettled(decision) && (health?.updatedReplicas ?? 0) >= replicas;
}

function allocateTo(wish: Understood, childOf: (name: string) => Child | undefined): Allocation {
  const current = Object.fromEntries(
    wish.subsets.flatMap(({ name }) => {
      const child = childOf(name);
      if (child === undefined) return [];
      const standing = {
        replicas: child.object.spec?.replicas ?? 1,
        readyReplicas: child.object.status?.readyReplicas ?? 0,
        unschedulable: false,
        reservedPods: 0,
        marked: false,
      };
      return [[name, standing]];
    }),
  );
  return allocate({
    total: wish.total,
    subsets: wish.subsets.map(({ spec }) => spec),
    mode: 'fixed',
    current,
  });
}

function partitionsFor(
  { owner }: UnitedDeploymentSnapshot,
  wish: Understood,
  { replicas }: Allocation,
  serving: ReadonlyMap<string, Child>,
) {
  const { type, manualUpdate } = owner.object.spec.updateStrategy ?? {};
  const present = Object.fromEntries(
    wish.subsets.flatMap(({ name }) => {
      const child = serving.get(name);
      return child === undefined ? [] : [[name, partitionOf(child.object, child.object.spec?.replicas ?? 1)]];
    }),
  );
  return partitionsOf({ type, wanted: manualUpdate?.partitions, replicas, present });
}

/** Until the child carries the wanted revision none of its pods does, whatever their label says. */
function updatedPodsOf(child: Child, pods: readonly SubsetPod[], target: Target): UpdatedPods {
  return target.revision === target.wanted ? countUpdated(pods, child) : { updated: 0, updatedReady: 0 };
}

/**
 * Who goes: twins always; children of removed subsets at once, or, where the user asks for it, when every subset is as
 * it should be; children of another kind when their successor is there, or available. So a successor that is refused
 * costs no pod.
 */
function surplusOf(
  snapshot: UnitedDeploymentSnapshot,
  { kind }: Understood,
  live: readonly Child[],
  subsets: readonly SubsetDecision[],
): { readonly surplus: readonly Surplus[]; readonly awaited: readonly Child[] } {
  const { [annotations.subsetRemoval]: removal } = snapshot.owner.object.metadata.annotations ?? {};
  const waits = removal === subsetRemovals.afterReplacement;
  const allSettled = subsets.every(isSettled);
  const surplus: Surplus[] = [];
  const awaited: Child[] = [];
  for (const child of live) {
    if (child.subset === undefined) continue;
    const subset = subsets.find(({ subset: { name } }) => name === child.subset);
    if (subset === undefined) {
      if (waits && !allSettled) awaited.push(child);
      else surplus.push({ child, because: { removed: true } });
      continue;
    }
    const { child: first } = subset;
    if (child === first) continue;
    if (child.kind === kind && first !== undefined) {
      const byStatus = byAge(child, first) < 0;
      surplus.push({ child, because: { twinOf: first.object.metadata.name, byStatus } });
    } else if (first !== undefined && (waits ? isSettled(subset) : true)) {
      surplus.push({ child, because: { replacedBy: `${kind} ${first.object.metadata.name}` } });
    } else awaited.push(child);
  }
  return { surplus, awaited };
}

function targetOf(
  subset: SubsetWish,
  child: Child | undefined,
  health: ChildHealth | undefined,
  update: Revision<ChildKind>,
): Target {
  const { labels: found, annotations: noted } = child?.object.metadata ?? {};
  const started = Date.parse(noted?.[annotations.startedAt] ?? '');
  return {
    id: subset.name,
    labels: {},
    revision: found?.[labels.subsetRevision],
    wanted: update.label,
    healthy: health?.available ?? false,
    reachable: true,
    ...(Number.isNaN(started) ? {} : { startedAt: started }),
  };
}
