import { annotations } from '@atoll/api';
import { isReady, type Instant } from '@atoll/kube';
import { causesOf } from '../causes/causes-of.ts';
import { isOnlyLate } from '../children/late.ts';
import { holdsOfOrphans } from '../places/adoption/orphans-left.ts';
import { subsetPlaces } from './subsets/child.ts';
import { kindFacts } from './subsets/child-kind.ts';
import { holdsOfGoing } from '../places/children/going-children.ts';
import { keptHolds, leftHolds } from '../places/kept-hold.ts';
import { nameConflictHold } from '../places/children/name-conflict.ts';
import { childrenToInspect } from '../children/inspect-child.ts';
import { isActive } from '../children/pods/pod-facts.ts';
import { beforeOlderPods, whyNoOlderPodGoes } from '../children/no-older-pod-goes.ts';
import { mostUrgentFirst, podsHold } from '../children/pods-hold.ts';
import { cachesNotSynced, hold, joinHolds, type Hold } from '../engine/hold.ts';
import type { Inspection } from '../engine/inspection.ts';
import { servesInFull, type Decision, type SubsetDecision } from './decision.ts';
import type { UnitedDeploymentSnapshot } from './observe.ts';
import { countOutdated, unschedulablePods, type SubsetPod } from './scheduling/subset-pods.ts';
import { holdsOfOldDefaults } from '../places/old-defaults-hold.ts';
import { holdOfPods } from '../places/place-hold.ts';
import { holdsOfUnknown } from '../places/children/unknown-children.ts';
import { templateField } from './template.ts';

/** What is not as it should be and cannot be moved by us now; what is bad first. */
export function holdsOf(
  snapshot: UnitedDeploymentSnapshot,
  decision: Decision | undefined,
  now: Instant,
): readonly Hold[] {
  if (!snapshot.certain) return [cachesNotSynced];
  const { desired } = snapshot;
  if (!desired.ok) {
    const held = hold(desired.reason, 'person', [], { problem: desired.problem }, true);
    return [desired.since === undefined ? held : { ...held, since: desired.since }];
  }
  if (decision === undefined) return [];
  if (!desired.served) {
    const problem = `the kind ${desired.kind} of spec.template is not installed. Install its CustomResourceDefinition, or use another kind`;
    return [hold('KindNotServed', 'person', [], { problem }, true)];
  }
  const holds = decision.places.flatMap((place) => holdsOfPlace(place, decision, now));
  const joined = joinHolds([...holds, ...partitionHolds(decision)]);
  const all = [...joined, ...holdsOfGoing(decision, now), ...decision.rolloutHolds];
  return [
    ...mostUrgentFirst(all),
    ...oldRenderingHolds(decision),
    ...holdsOfOldDefaults(desired.revision, templateField(desired.kind)),
    ...holdsOfOrphans(snapshot, subsetPlaces),
    ...holdsOfUnknown(snapshot, subsetPlaces),
  ];
}

/** The children whose pods may show why they are not healthy. */
export function toInspect({ places }: Decision, now: Instant): readonly Inspection[] {
  const open = places.filter((place) => !isExplained(place));
  return childrenToInspect(open, (place) => holdOf(place, now));
}

/** Whether the cached pods show it all: the scheduler's words are in them, and those of kubelets are not. */
function isExplained({ pods, replicas }: SubsetDecision): boolean {
  const unready = pods.filter((pod) => isActive(pod) && !isReady(pod));
  return pods.length >= replicas && unschedulablePods(pods).length === unready.length && unready.length > 0;
}

function unschedulableProblem(pods: readonly SubsetPod[], now: Instant): string {
  const found = causesOf({ uid: '', wanted: 0, conditions: [], pods }, [], now);
  return found?.message ?? 'pods are unschedulable';
}

/** Nothing waits for these, so they stand last. */
function oldRenderingHolds({ places }: Decision): readonly Hold[] {
  const kept = places
    .filter(({ child }) => child?.object.metadata.annotations?.[annotations.oldRendering] !== undefined)
    .map(({ place }) => place.name)
    .sort();
  if (kept.length === 0) return [];
  const problem = 'pods run as OpenKruise placed them, without the matchFields of the subset';
  const waitingUntil = 'the template or the placement of the subset changes';
  return [hold('OldRenderingKept', 'person', kept, { problem, waitingUntil }, false)];
}

/** Pods of a StatefulSet and of an Advanced StatefulSet have the same names, so the one that stays keeps the other from making them. */
function sameNamesHold(
  { place, child }: SubsetDecision,
  { pendingDeletion }: Pick<Decision, 'pendingDeletion'>,
): Hold | undefined {
  if (child === undefined || !kindFacts[child.kind].ordinal) return undefined;
  const { name } = child.object.metadata;
  const old = pendingDeletion.find(
    ({ kind, object: { metadata, status } }) =>
      kind !== child.kind && kindFacts[kind].ordinal && metadata.name === name && (status?.replicas ?? 0) > 0,
  );
  if (old === undefined) return undefined;
  const problem =
    `the pods of the ${old.kind} ${name}, which stays until it is replaced, have the names of those of the ${child.kind}. ` +
    `Take the annotation ${annotations.subsetRemoval} off, so that the ${old.kind} goes first, or put the template back`;
  return hold('NameTaken', 'person', [place.name], { problem }, true);
}

function partitionHolds({ refusedPartitions }: Decision): readonly Hold[] {
  return refusedPartitions.map(({ subset, message }) =>
    hold('InvalidPartition', 'person', [subset], { problem: message }, true),
  );
}

function holdsOfPlace(subset: SubsetDecision, decision: Decision, now: Instant): readonly Hold[] {
  const { kept, keptOrdinals, patchProblem, place } = subset;
  const held = sameNamesHold(subset, decision) ?? holdOf(subset, now);
  if (patchProblem !== undefined) {
    const inShort = 'The patch of the subset cannot be applied, so its child is left as it is';
    return leftHolds(place.name, { reason: 'InvalidPatch', problem: patchProblem, inShort }, held);
  }
  return keptHolds(
    place.name,
    [kept, keptOrdinals].filter((each) => each !== undefined),
    held,
  );
}

/** What holds the subset, besides that its child stays as it is. */
function holdOf(decision: SubsetDecision, now: Instant): Hold | undefined {
  const { child, health, nameConflict, patchProblem, finding } = decision;
  const { name } = decision.place;
  if (child === undefined && nameConflict !== undefined) return nameConflictHold(nameConflict, name);
  if (child === undefined || health === undefined || servesInFull(decision)) return undefined;
  const unschedulable = unschedulablePods(decision.pods);
  return holdOfPods(
    decision,
    {
      outdated: countOutdated(decision.pods, child),
      isLeft: patchProblem !== undefined,
      instead: (wrong) => {
        if (unschedulable.length === 0 || !isOnlyLate(health)) return undefined;
        const one = unschedulable.length === 1;
        const room = one ? 'a node has room for it' : 'nodes have room for them';
        const found = unschedulableProblem(unschedulable, now);
        const why = whyNoOlderPodGoes(child, health);
        const cause =
          why === undefined ? { problem: found, waitingUntil: room } : beforeOlderPods(why, found, room);
        const waits = hold('PodsUnschedulable', 'nodes', [name], cause, wrong !== undefined);
        return podsHold(child, finding, waits);
      },
    },
    now,
  );
}
