import type { UnitedDeployment } from '@atoll/api';
import { ownField, type Instant } from '@atoll/kube';
import { byService, isTerminating } from '../children/child.ts';
import { partitionOf } from '../children/child-health.ts';
import { childName } from '../children/names.ts';
import { isPaused } from '../children/paused.ts';
import { earliest } from '../engine/earliest.ts';
import { allAtOnce, type PolicyOf } from '../engine/rollout/rollout-policy.ts';
import { isAtWanted } from '../engine/rollout/target.ts';
import { conditionMessage } from '../engine/status/conditions.ts';
import type { Seen } from '../engine/step.ts';
import { childrenToDelete, seenServing, type PlaceLeft } from '../places/children/children-to-delete.ts';
import { decidePlaces, type PlaceDecision } from '../places/decide-places.ts';
import {
  allocate,
  type Allocation,
  type AllocationMode,
  type SubsetStanding,
} from './allocation/allocate.ts';
import { isGrowthRefused } from './allocation/growth-trials.ts';
import { presentOf } from './allocation/after-moves.ts';
import { subsetPlaces, type Child } from './subsets/child.ts';
import { kindFacts, type ChildKind } from './subsets/child-kind.ts';
import {
  servesInFull,
  type Decision,
  type SubsetDecision,
  type Understood,
  type UnitedDeploymentDecision,
} from './decision.ts';
import { holdsOf, toInspect } from './holds.ts';
import { conflictOf } from './kruise/kruise-manager.ts';
import type { DesiredSubset, UnitedDeploymentSnapshot } from './observe.ts';
import { waitsForReplacement } from './subsets/removal.ts';
import { maxUnavailableOf } from './rendering/max-unavailable.ts';
import { partitionsOf } from './rendering/partitions.ts';
import { keepNumbers } from './allocation/keep-numbers.ts';
import { keptDifference } from './kruise/kept-as-found.ts';
import { keptNumberNotes, numbersFound } from './kruise/kept-numbers.ts';
import { keptOrdinalsDifference } from './kruise/kept-ordinals.ts';
import { patchProblem } from './rendering/render-pods.ts';
import {
  conditionOf,
  isUnwritten,
  judgeSubset,
  modeOf,
  standingOfSubset,
  type Judgement,
  type ObservedSubset,
} from './scheduling/judge-subset.ts';
import { countReserved, countUpdated, type UpdatedPods } from './scheduling/subset-pods.ts';
import { staysEmpty } from './subsets/stays-empty.ts';

/** All that plan, events and status of a UnitedDeployment are made of. */
export function decide(
  snapshot: UnitedDeploymentSnapshot,
  now: Instant,
  policyOf: PolicyOf<UnitedDeployment> = allAtOnce,
): UnitedDeploymentDecision {
  const { owner, certain, desired, kruise } = snapshot;
  // All children are left to a conflicting controller: half of the work done twice is worse than none.
  const conflict = certain ? conflictOf(owner.object, kruise, now) : undefined;
  if (conflict !== undefined) return { conflict, holds: [conflict], inspect: [], decided: undefined };
  // The garbage collector takes the children; anything made now would only be in its way.
  if (isTerminating(owner.object)) return { conflict, holds: [], inspect: [], decided: undefined };
  const decided = certain && desired.ok ? decideSubsets(snapshot, desired, now, policyOf) : undefined;
  const inspect = decided === undefined ? [] : toInspect(decided, now);
  return { conflict, holds: holdsOf(snapshot, decided, now), inspect, decided };
}

interface JudgedSubset extends ObservedSubset {
  readonly judged: Judgement;
  /**
   * The child that shows where it stands. As long as it has none of the wanted kind, its child of another kind does, and so does one that becomes ours
   * again: nothing grows in its place.
   */
  readonly shownBy: Child | undefined;
  readonly standing: SubsetStanding | undefined;
}

/** For each subset the child that serves it, its number and its revision; and the children to be deleted. */
function decideSubsets(
  snapshot: UnitedDeploymentSnapshot,
  desired: Understood,
  now: Instant,
  policyOf: PolicyOf<UnitedDeployment>,
): Decision {
  const { object } = snapshot.owner;
  const { update } = desired.revision;
  const { currentRevision } = object.status ?? {};
  const policy = policyOf(object, update.label);
  const observed = { ...snapshot, places: desired.places, update, currentRevision, policy };
  const decided = decidePlaces(observed, subsetPlaces.revisionLabel, now);
  const mode = modeOf(object.spec, desired.kind);
  const others = otherChildren(snapshot, decided.places);
  const judgedSubsets = decided.places.map((each) =>
    judgedSubset(snapshot, { kind: desired.kind, mode, others }, each, now),
  );
  const { allocation, keptNumbers } = allocateTo(snapshot, desired, mode, judgedSubsets);
  const partitions = partitionsFor(snapshot, allocation, judgedSubsets);
  const places = judgedSubsets.map((each): SubsetDecision => {
    const { name } = each.place;
    return {
      ...decideSubset(snapshot, each, allocation.replicas[name] ?? 0, now),
      partition: partitions.values[name] ?? 0,
      partitionWhileShrinking: partitions.whileShrinking[name] ?? 0,
    };
  });
  const atOnce = judgedSubsets.some(({ judged }) => isUnwritten(judged)) ? now : undefined;
  return {
    desired,
    ...decided,
    places,
    ...subsetChildrenToDelete(snapshot, desired, places),
    allocation,
    keptNumbers,
    refusedPartitions: partitions.refused,
    mode,
    requeueAt: earliest([atOnce, ...judgedSubsets.map(({ judged }) => judged.judgement?.requeueAt)]),
  };
}

/** Children that show where a subset stands which has none of the wanted kind, the one that counts first. */
function otherChildren(
  { children, orphans }: UnitedDeploymentSnapshot,
  places: readonly PlaceDecision<DesiredSubset, ChildKind>[],
): readonly Child[] {
  const live = children.filter((child) => !isTerminating(child.object)).sort(byService);
  return [...live, ...orphans, ...places.flatMap(({ nameConflict }) => nameConflict?.child ?? [])];
}

/** The subset with its pods, what these show, and where it stands. */
function judgedSubset(
  { owner: { object }, pods }: UnitedDeploymentSnapshot,
  { kind, mode, others }: { kind: ChildKind; mode: AllocationMode; others: readonly Child[] },
  each: PlaceDecision<DesiredSubset, ChildKind>,
  now: Instant,
): JudgedSubset {
  const { place, child } = each;
  const podsOf = (found: Child | undefined) => pods[found?.object.metadata.uid ?? ''] ?? [];
  const subset = { ...each, pods: podsOf(child) };
  const partition = kindFacts[kind].partitioned ? wantedPartition(object, place.name) : 0;
  const heldBack = child === undefined ? partition : Math.max(partition, heldBackBy(child));
  const judged = judgeSubset(object, mode, subset, heldBack, now);
  const shownBy = child ?? others.find((other) => other.place === place.name);
  const standing = standingOfSubset({ child: shownBy, pods: podsOf(shownBy) }, judged);
  return { ...subset, judged, shownBy, standing };
}

/** All that is decided for a subset that is to have so many replicas, but its partitions. */
function decideSubset(
  snapshot: UnitedDeploymentSnapshot,
  subset: JudgedSubset,
  replicas: number,
  now: Instant,
): Omit<SubsetDecision, 'partition' | 'partitionWhileShrinking'> {
  const { judged, shownBy: _, standing, ...each } = subset;
  const { place, child, pods, revision } = each;
  const differs = differencesOf(snapshot, each);
  const growth = { from: child?.object.spec?.replicas ?? 0, to: replicas };
  return {
    ...each,
    judgement: judged.judgement,
    condition: conditionOf(judged, growth, now),
    updatedPods: differs.kept === undefined ? updatedPodsOf(each) : { updated: 0, updatedReady: 0 },
    reservedPods: judged.mode === 'reservation' ? countReserved(pods) : 0,
    patchProblem: revision === undefined ? undefined : patchProblem(revision.template, place),
    ...differs,
    replicas,
    own: standing?.replicas ?? 0,
    maxUnavailable: maxUnavailableOf(each, judged, replicas),
  };
}

/**
 * Children of removed subsets go when those of new ones are made and others have been given more replicas, or, where the user asks for it, when every subset is as it should be;
 * children of another kind when the one that replaces them is there, or available. So a child that is refused costs no pod, also where
 * a subset only gets another name. None goes while the kind of
 * the template is not installed: the subsets that are there could not take over.
 */
function subsetChildrenToDelete(
  { owner, children, refused }: UnitedDeploymentSnapshot,
  { served }: Understood,
  places: readonly SubsetDecision[],
): ReturnType<typeof childrenToDelete<DesiredSubset, ChildKind>> {
  const waits = waitsForReplacement(owner.object);
  const isNotToGrow = (each: SubsetDecision) =>
    cannotGrow(each) || isGrowthRefused(each, refused) || staysEmpty(each);
  const isPending = !served || (waits ? !places.every(servesInFull) : places.some(isNotToGrow));
  const complete = new Set(places.filter(servesInFull).map(({ place }) => place.name));
  // One that takes replicas of others begins with none, and the API server may refuse that it grows.
  const grown = new Set(
    places.filter((each) => each.replicas <= presentOf(each)).map(({ place }) => place.name),
  );
  const serving = waits ? places.flatMap(({ child }) => child ?? []) : [];
  const restsOn = serving.map((child) => seenServing(child, subsetPlaces));
  const dependsOn = places.flatMap((subset): readonly string[] => {
    const { place, child, orphan, replicas } = subset;
    if (replicas <= presentOf(subset)) return [];
    // An orphan is taken back first, and is written by a later plan.
    return [(child ?? orphan)?.object.metadata.uid ?? childName(owner.object.metadata, place.name)];
  });
  return childrenToDelete(children, places, {
    ifLeft: (subset) => (isPending ? 'pending' : subsetLeft(subset, restsOn, dependsOn)),
    replacement: (decision) => {
      if (!waits) return makesNoPods(decision) || !grown.has(decision.place.name) ? 'missing' : 'present';
      return complete.has(decision.place.name) ? 'available' : 'missing';
    },
  });
}

/** Where its child stays as Kruise left it, for people. */
function differencesOf(
  { owner }: UnitedDeploymentSnapshot,
  { place: subset, child, revision, pods }: Pick<JudgedSubset, 'place' | 'child' | 'revision' | 'pods'>,
): Pick<SubsetDecision, 'kept' | 'keptOrdinals'> {
  if (child === undefined || revision === undefined) return { kept: undefined, keptOrdinals: undefined };
  const input = { owner, revision, subset };
  return {
    kept: keptDifference(input, child.object),
    keptOrdinals: keptOrdinalsDifference(input, child.object, pods),
  };
}

/** A Deployment that is paused before it has made a pod makes none: nothing would run in the place of what it replaces. */
function makesNoPods({ child, health }: Pick<SubsetDecision, 'child' | 'health'>): boolean {
  const { paused, replicas = 1 } = child?.object.spec ?? {};
  return paused === true && replicas > 0 && health?.replicas === 0;
}

/** It is to have more replicas, and gets none before a person corrects something. */
function cannotGrow(subset: SubsetDecision): boolean {
  const { child, replicas, patchProblem, nameConflict } = subset;
  if (replicas <= presentOf(subset)) return false;
  return patchProblem !== undefined || (child === undefined && nameConflict !== undefined);
}

function subsetLeft(subset: string, restsOn: readonly Seen[], dependsOn: readonly string[]): PlaceLeft {
  const message = `spec.topology.subsets names subset ${subset} no longer`;
  const seen = restsOn.length === 0 ? {} : { restsOn };
  const after = dependsOn.length === 0 ? {} : { dependsOn };
  return { why: { word: 'SubsetRemoved', message }, irreversible: true, ...seen, ...after };
}

/** What each subset is to have, from where all stand. */
function allocateTo(
  snapshot: UnitedDeploymentSnapshot,
  desired: Understood,
  mode: AllocationMode,
  judgedSubsets: readonly JudgedSubset[],
): Pick<Decision, 'allocation' | 'keptNumbers'> {
  const current = Object.fromEntries(
    judgedSubsets.flatMap(({ place, standing }) => (standing === undefined ? [] : [[place.name, standing]])),
  );
  const subsets = desired.places.map(({ spec }) => spec);
  const input = { total: desired.total, subsets, mode, current };
  const asked = allocate(input);
  const shown = judgedSubsets.map(({ place: { name }, shownBy: child }) => ({ name, child }));
  const found = numbersFound(snapshot.owner.object, desired, mode, shown);
  const kept = found === undefined ? undefined : keepNumbers(input, found.numbers, asked);
  if (kept === undefined || !isStillSo(kept, found?.onlyAs))
    return { allocation: asked, keptNumbers: undefined };
  return { allocation: kept, keptNumbers: keptNumberNotes(desired, mode, kept) };
}

/** Whether the condition says of these numbers what it said before. */
function isStillSo({ effective }: Allocation, message: string | undefined): boolean {
  return message === undefined || (!effective.ok && conditionMessage(effective.message) === message);
}

/** What holds back pods of a child as it is: one that is released has to be written first. */
function heldBackBy({ kind, object }: Child): number {
  if (isPaused(object)) return Infinity;
  return kindFacts[kind].partitioned ? partitionOf(object, object.spec?.replicas ?? 1) : 0;
}

function partitionsFor(
  { owner }: UnitedDeploymentSnapshot,
  { replicas }: Allocation,
  subsets: readonly ObservedSubset[],
) {
  const { type, manualUpdate } = owner.object.spec.updateStrategy ?? {};
  const present = Object.fromEntries(
    subsets.flatMap(({ place: { name }, child }) =>
      child === undefined ? [] : [[name, partitionOf(child.object, child.object.spec?.replicas ?? 1)]],
    ),
  );
  const asked = Object.fromEntries(
    subsets.flatMap(({ place: { name }, child }) =>
      child === undefined ? [] : [[name, presentOf({ child })]],
    ),
  );
  return partitionsOf({ type, wanted: manualUpdate?.partitions, replicas, asked, present });
}

function wantedPartition({ spec }: UnitedDeployment, subset: string): number {
  const partitions = spec.updateStrategy?.manualUpdate?.partitions ?? {};
  return Math.max(0, ownField(partitions, subset) ?? 0);
}

/**
 * Until the child carries the wanted revision none of its pods does, whatever their label is; and after a change that
 * makes no revision, as of a patch, its controller is more reliable than the label.
 */
function updatedPodsOf({ child, pods, target, health }: ObservedSubset): UpdatedPods {
  if (child === undefined || !isAtWanted(target)) return { updated: 0, updatedReady: 0 };
  const counted = countUpdated(pods, child);
  const updated =
    health?.observed === true ? Math.min(counted.updated, health.updatedReplicas) : counted.updated;
  return { updated, updatedReady: Math.min(counted.updatedReady, updated) };
}
