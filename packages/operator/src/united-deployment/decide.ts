import { annotations, labels } from '@atoll/api';
import type { Instant } from '@atoll/kube';
import { byService, isTerminating } from '../children/child.ts';
import { healthOf, partitionOf, type ChildHealth } from '../children/child-health.ts';
import type { Occupant } from '../children/occupant.ts';
import { lateAt } from '../children/late.ts';
import { isPaused } from '../children/paused.ts';
import { neededRevisions } from '../children/revisions/needed-revisions.ts';
import type { Revision } from '../children/revisions/revision.ts';
import { earliest } from '../engine/earliest.ts';
import { chooseTargets } from '../engine/rollout/choose-targets.ts';
import type { Target } from '../engine/rollout/target.ts';
import { allocate, type Allocation } from './allocation/allocate.ts';
import { presentOf } from './allocation/after-moves.ts';
import type { Child } from './child.ts';
import { kindFacts, type ChildKind } from './child-kind.ts';
import type { Decision, SubsetDecision, Understood, UnitedDeploymentDecision } from './decision.ts';
import { holdsOf } from './holds.ts';
import { rivalOf } from './kruise/kruise-manager.ts';
import { rivalHold } from './kruise/stand-aside.ts';
import {
  conditionOf,
  isUnwritten,
  judgeSubset,
  modeOf,
  standingOfSubset,
  type JudgedSubset,
  type Judgement,
} from './scheduling/judge-subset.ts';
import { maxUnavailableOf } from './rendering/max-unavailable.ts';
import type { SubsetWish, UnitedDeploymentSnapshot } from './observe.ts';
import { partitionsOf } from './rendering/partitions.ts';
import { patchProblem } from './rendering/render-pods.ts';
import { countReserved, countUpdated, type UpdatedPods } from './scheduling/subset-pods.ts';
import { surplusOf } from './surplus.ts';

/** All that plan, events and status of a UnitedDeployment are made of. */
export function decide(snapshot: UnitedDeploymentSnapshot, now: Instant): UnitedDeploymentDecision {
  const { owner, certain, wish, kruise } = snapshot;
  // Children are left to a rival, all of them: half of the work done twice is worse than none.
  const rival = certain ? rivalOf(owner.object, kruise, now) : undefined;
  if (rival !== undefined) return { rival, holds: [rivalHold(rival)], decided: undefined };
  // The garbage collector takes the children; anything made now would only be in its way.
  if (isTerminating(owner.object)) return { rival: undefined, holds: [], decided: undefined };
  const decided = certain && wish.ok ? decideSubsets(snapshot, wish, now) : undefined;
  return { rival, holds: holdsOf(snapshot, decided, now), decided };
}

interface Listed extends JudgedSubset {
  readonly subset: SubsetWish;
  readonly judged: Judgement;
}

/** For each subset the child that serves it, its number and its revision; and who is too many. */
function decideSubsets(snapshot: UnitedDeploymentSnapshot, wish: Understood, now: Instant): Decision {
  const { object: owner } = snapshot.owner;
  const live = snapshot.children.filter((child) => !isTerminating(child.object)).sort(byService);
  const mode = modeOf(owner.spec, wish.kind);
  const listed = wish.subsets.map((subset): Listed => {
    const seen = seenOf(snapshot, wish, live, subset);
    const partition = kindFacts[wish.kind].partitioned ? wantedPartition(snapshot, subset.name) : 0;
    const heldBack = seen.child !== undefined && isPaused(seen.child.object) ? Infinity : partition;
    return { ...seen, subset, judged: judgeSubset(owner, mode, seen, heldBack, now) };
  });
  const allocation = allocateTo(snapshot, wish, live, listed);
  const partitions = partitionsFor(snapshot, allocation, listed);
  const chosen = chooseTargets(listed.map(({ target }) => target));
  const mayMove = new Set(chosen.move);
  const { update } = wish.revision;
  const revisions = new Map([...snapshot.history, update].map((each) => [each.label, each]));
  const subsets = listed.map(({ judged, ...each }): SubsetDecision => {
    const { subset, child, pods, target } = each;
    const stays =
      target.revision !== undefined && target.revision !== target.wanted && !mayMove.has(target.id);
    const revision = revisions.get(stays ? (target.revision ?? '') : target.wanted);
    const replicas = allocation.replicas[subset.name] ?? 0;
    const growth = { from: child?.object.spec?.replicas ?? 0, to: replicas };
    return {
      ...each,
      lateAt: child === undefined ? undefined : lateAt(child, pods),
      judgement: judged.judgement,
      condition: conditionOf(judged, growth, now),
      updatedPods: updatedPodsOf(each),
      reservedPods: mode === 'reservation' ? countReserved(pods) : 0,
      revision,
      patchProblem: revision === undefined ? undefined : patchProblem(revision.template, subset),
      replicas,
      partition: partitions.values[subset.name] ?? 0,
      partitionWhileShrinking: partitions.whileShrinking[subset.name] ?? 0,
      maxUnavailable: maxUnavailableOf(each, judged, replicas),
      occupant: occupantAt(snapshot.occupants[subset.name], now),
      orphan:
        child === undefined ? snapshot.orphans.find((found) => found.subset === subset.name) : undefined,
    };
  });
  const { history, children } = snapshot;
  const current = owner.status?.currentRevision;
  const atOnce = listed.some(({ judged }) => isUnwritten(judged)) ? now : undefined;
  return {
    wish,
    subsets,
    ...surplusOf(snapshot, wish, live, subsets),
    allocation,
    refusedPartitions: partitions.refused,
    rolloutHolds: chosen.holds,
    needed: neededRevisions(update, history, current, children, labels.subsetRevision),
    mode,
    lookAgainAt: earliest([
      atOnce,
      ...listed.map(({ judged }) => judged.judgement?.lookAgainAt),
      ...subsets.map(({ occupant }) => occupant?.until),
    ]),
  };
}

/** Who is waited for no longer stands in nobody's way. */
function occupantAt(occupant: Occupant | undefined, now: Instant): Occupant | undefined {
  return occupant?.until !== undefined && occupant.until <= now ? undefined : occupant;
}

function seenOf(
  snapshot: UnitedDeploymentSnapshot,
  { kind, revision }: Understood,
  live: readonly Child[],
  subset: SubsetWish,
): JudgedSubset {
  const child = live.find((each) => each.kind === kind && each.subset === subset.name);
  const health = child === undefined ? undefined : healthOf(child);
  const pods = child === undefined ? [] : (snapshot.pods[child.object.metadata.uid] ?? []);
  return { name: subset.name, child, health, pods, target: targetOf(subset, child, health, revision.update) };
}

/** As long as a subset has no child of the wanted kind, its child of another kind says where it stands. */
function allocateTo(
  snapshot: UnitedDeploymentSnapshot,
  wish: Understood,
  live: readonly Child[],
  listed: readonly Listed[],
): Allocation {
  const current = Object.fromEntries(
    listed.flatMap(({ name, child: serving, judged }) => {
      const child = serving ?? live.find((each) => each.subset === name);
      const pods = child === undefined ? [] : (snapshot.pods[child.object.metadata.uid] ?? []);
      const standing = standingOfSubset({ child, pods }, judged);
      return standing === undefined ? [] : [[name, standing]];
    }),
  );
  const subsets = wish.subsets.map(({ spec }) => spec);
  return allocate({
    total: wish.total,
    subsets,
    mode: modeOf(snapshot.owner.object.spec, wish.kind),
    current,
  });
}

function partitionsFor(
  { owner }: UnitedDeploymentSnapshot,
  { replicas }: Allocation,
  listed: readonly Listed[],
) {
  const { type, manualUpdate } = owner.object.spec.updateStrategy ?? {};
  const present = Object.fromEntries(
    listed.flatMap(({ name, child }) =>
      child === undefined ? [] : [[name, partitionOf(child.object, child.object.spec?.replicas ?? 1)]],
    ),
  );
  const asked = Object.fromEntries(
    listed.flatMap(({ name, child }) => (child === undefined ? [] : [[name, presentOf({ child })]])),
  );
  return partitionsOf({ type, wanted: manualUpdate?.partitions, replicas, asked, present });
}

function wantedPartition({ owner }: UnitedDeploymentSnapshot, subset: string): number {
  const partitions = owner.object.spec.updateStrategy?.manualUpdate?.partitions ?? {};
  return Object.hasOwn(partitions, subset) ? Math.max(0, partitions[subset] ?? 0) : 0;
}

/**
 * Until the child carries the wanted revision none of its pods does, whatever their label says; and after a change that
 * makes no revision, as of a patch, its controller knows better than the label.
 */
function updatedPodsOf({ child, pods, target, health }: JudgedSubset): UpdatedPods {
  if (child === undefined || target.revision !== target.wanted) return { updated: 0, updatedReady: 0 };
  const counted = countUpdated(pods, child);
  const updated =
    health?.observed === true ? Math.min(counted.updated, health.updatedReplicas) : counted.updated;
  return { updated, updatedReady: Math.min(counted.updatedReady, updated) };
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
