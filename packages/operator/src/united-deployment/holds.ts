import { annotations } from '@atoll/api';
import type { Instant } from '@atoll/kube';
import { isOnlyLate, wrongWith } from '../children/late.ts';
import { nameConflictHold } from '../places/name-conflict.ts';
import { isOnDelete, waitsForDeletion } from '../children/pods/on-delete.ts';
import { isPaused, waitsForResume } from '../children/paused.ts';
import { cachesNotSynced, hold, joinHolds, type Hold } from '../engine/hold.ts';
import { isSettled, type Decision, type SubsetDecision } from './decision.ts';
import type { UnitedDeploymentSnapshot } from './observe.ts';
import { countOutdated, countUnschedulable } from './scheduling/subset-pods.ts';
import { awaitsPods } from '../places/decide-places.ts';

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
  const holds = joinHolds(
    decision.places.map((place) => holdOf(place, now)).filter((found) => found !== undefined),
  );
  const all = [...holds, ...partitionHolds(decision), ...decision.rolloutHolds];
  return [...all.sort((a, b) => Number(b.bad) - Number(a.bad)), ...keptHolds(decision)];
}

/** Nothing waits for these, so they stand last. */
function keptHolds({ places }: Decision): readonly Hold[] {
  const kept = places
    .filter(({ child }) => child?.object.metadata.annotations?.[annotations.oldRendering] !== undefined)
    .map(({ place }) => place.name)
    .sort();
  if (kept.length === 0) return [];
  const problem = 'pods run as OpenKruise placed them, without the matchFields of the subset';
  const waitingUntil = 'the template or the placement of the subset changes';
  return [hold('OldRenderingKept', 'person', kept, { problem, waitingUntil }, false)];
}

function partitionHolds({ refusedPartitions }: Decision): readonly Hold[] {
  const [first] = refusedPartitions;
  if (first === undefined) return [];
  const subsets = refusedPartitions.map(({ subset }) => subset).sort();
  return [hold('InvalidPartition', 'person', subsets, { problem: first.message }, true)];
}

function holdOf(decision: SubsetDecision, now: Instant): Hold | undefined {
  const { child, health, nameConflict, patchProblem } = decision;
  const { name } = decision.place;
  if (patchProblem !== undefined)
    return hold('InvalidPatch', 'person', [name], { problem: patchProblem }, true);
  if (child === undefined && nameConflict !== undefined) return nameConflictHold(nameConflict, name);
  if (child === undefined || health === undefined || isSettled(decision)) return undefined;
  if (!awaitsPods(decision)) return undefined;
  const wrong = wrongWith(child, health, decision.lateAt, now);
  const unschedulable = countUnschedulable(decision.pods);
  if (unschedulable > 0 && isOnlyLate(health)) {
    const problem =
      unschedulable === 1 ? '1 pod is unschedulable' : `${unschedulable} pods are unschedulable`;
    const waitingUntil = unschedulable === 1 ? 'a node has room for it' : 'nodes have room for them';
    return hold('PodsUnschedulable', 'nodes', [name], { problem, waitingUntil }, wrong !== undefined);
  }
  if (wrong !== undefined) return hold('WaitingForReady', 'health', [name], { problem: wrong }, true);
  if (!health.updated && isPaused(child.object)) {
    return waitsForResume(name, `${child.kind} ${child.object.metadata.name}`);
  }
  if (!health.updated && isOnDelete(child.object)) {
    return waitsForDeletion(name, countOutdated(decision.pods, child));
  }
  return hold('WaitingForReady', 'health', [name], { waitingUntil: 'the pods are available' }, false);
}
