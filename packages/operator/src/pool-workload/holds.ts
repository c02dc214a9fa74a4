import { annotations } from '@atoll/api';
import type { Instant } from '@atoll/kube';
import { isOnlyLate } from '../children/late.ts';
import { holdsOfOrphans } from '../places/adoption/orphans-left.ts';
import { poolPlaces } from './child.ts';
import { holdsOfGoing } from '../places/children/going-children.ts';
import { keptHolds, leftHolds, type Left } from '../places/kept-hold.ts';
import { nameConflictHold } from '../places/children/name-conflict.ts';
import { childrenToInspect } from '../children/inspect-child.ts';
import { beforeOlderPods, whyNoOlderPodGoes } from '../children/no-older-pod-goes.ts';
import { holdsOfLost } from '../places/pools/pools-left.ts';
import { isAboutPods, mostUrgentFirst } from '../children/pods-hold.ts';
import { cachesNotSynced, hold, joinHolds, type Hold } from '../engine/hold.ts';
import type { Inspection } from '../engine/inspection.ts';
import { runsOldRendering, servesInFull, type Decision, type PoolDecision } from './decision.ts';
import type { PoolWorkloadSnapshot } from './observe.ts';
import { holdsOfOldDefaults } from '../places/old-defaults-hold.ts';
import { holdOfPods } from '../places/place-hold.ts';
import { holdsOfUnknown } from '../places/children/unknown-children.ts';
import { templateField } from './template.ts';

/** A node can carry no longer label value, so no node can ever be in such a pool. */
const poolNameLimit = 63;

const overrideKept: Left = {
  reason: 'OverrideKept',
  problem:
    'the child has values of a YurtAppOverrider, so it is left as it is. To keep them, put them into the template. To drop them, which replaces ' +
    `pods, set the annotation ${annotations.discardOverrides}: "true" on this object`,
  inShort: 'The child has values of a YurtAppOverrider, so it is left as it is',
};

export const noPoolsSelected =
  'spec.nodepoolSelector matches no NodePool. Label a NodePool, or correct the selector';

/** What is not as it should be and cannot be moved by us now; what is bad first. */
export function holdsOf(
  snapshot: PoolWorkloadSnapshot,
  decision: Decision | undefined,
  now: Instant,
): readonly Hold[] {
  if (!snapshot.certain) return [cachesNotSynced];
  const { desired } = snapshot;
  if (!desired.ok) return [hold(desired.reason, 'person', [], { problem: desired.problem }, true)];
  if (decision === undefined) return [];
  const going = [...holdsOfLost(decision.lost), ...holdsOfGoing(decision, now)];
  if (desired.places.length === 0) {
    if (decision.lost.length > 0) return going;
    return [...going, hold('NoPoolsSelected', 'nodes', [], { problem: noPoolsSelected }, false)];
  }
  const holds = joinHolds(
    decision.places.flatMap((place) =>
      holdsOfPlace(place, now).map((held) => withOlderPods(held, place, decision)),
    ),
  );
  return [
    ...mostUrgentFirst([...holds, ...going, ...decision.rolloutHolds]),
    ...kept(decision),
    ...holdsOfOldDefaults(desired.revision, templateField(desired.revision.update.template.kind)),
    ...holdsOfOrphans(snapshot, poolPlaces),
    ...holdsOfUnknown(snapshot, poolPlaces),
  ];
}

/** The children whose pods may show why they are not healthy. */
export function toInspect({ places }: Decision, now: Instant): readonly Inspection[] {
  return childrenToInspect(places, (place) => holdOf(place, now));
}

/** Nothing waits for these, so they stand last. */
function kept(decision: Decision): readonly Hold[] {
  const pools = decision.places.filter(runsOldRendering).map(({ place }) => place.name);
  if (pools.length === 0) return [];
  const problem = 'pods run as the old operator rendered them';
  const waitingUntil = 'the pod template changes';
  return [hold('OldRenderingKept', 'person', pools, { problem, waitingUntil }, false)];
}

export function isTooLong(pool: string): boolean {
  return pool.length > poolNameLimit;
}

function holdsOfPlace(decision: PoolDecision, now: Instant): readonly Hold[] {
  const { place, kept: difference, overridden } = decision;
  const held = holdOf(decision, now);
  if (overridden) return leftHolds(place.name, overrideKept, held);
  return keptHolds(place.name, difference === undefined ? [] : [difference], held);
}

/** With what else may keep the pods out that the hold is about: older ones, which wait for them. */
function withOlderPods(held: Hold, decision: PoolDecision, { pendingDeletion }: Decision): Hold {
  const { place, child, health } = decision;
  const { problem, reason } = held;
  if (child === undefined || health === undefined || problem === undefined || !isAboutPods(held)) return held;
  const before = pendingDeletion.find((each) => each.place === place.name);
  if (before !== undefined) {
    const hint = `The ${before.kind} that the ${child.kind} replaces runs until these pods are available. If it keeps them out (a host port, a volume, the room that it takes), delete it`;
    return { ...held, problem: `${problem.replace(/\.$/, '')}. ${hint}` };
  }
  const why = reason === 'PodsUnschedulable' ? whyNoOlderPodGoes(child, health) : undefined;
  return why === undefined ? held : { ...held, ...beforeOlderPods(why, problem, 'a node has room for it') };
}

/** What holds the pool, besides that its child stays as an older operator left it. */
function holdOf(decision: PoolDecision, now: Instant): Hold | undefined {
  const { place: pool, child, health, nameConflict, overridden } = decision;
  if (child === undefined && pool.terminating) {
    const problem = 'the NodePool is being deleted and gets no new child';
    return hold('PoolTerminating', 'time', [pool.name], { problem, waitingUntil: 'it is gone' }, false);
  }
  if (child === undefined && isTooLong(pool.name)) {
    const problem = `the name of the NodePool has ${pool.name.length} characters, and no node can carry a label value of more than ${poolNameLimit}. Use a NodePool with a shorter name`;
    return hold('PoolNameTooLong', 'person', [pool.name], { problem }, true);
  }
  if (child === undefined && nameConflict !== undefined) return nameConflictHold(nameConflict, pool.name);
  if (child === undefined || health === undefined || servesInFull(decision)) return undefined;
  const { replicas, updatedReplicas } = health;
  return holdOfPods(
    decision,
    {
      outdated: Math.max(1, replicas - updatedReplicas),
      isLeft: overridden,
      // Waiting is given up after ten minutes; for the first node of a pool nobody is late.
      instead: (wrong) =>
        pool.nodes === 0 && (wrong === undefined || isOnlyLate(health))
          ? waitsForNodes(pool.name)
          : undefined,
    },
    now,
  );
}

function waitsForNodes(pool: string): Hold {
  const cause = { problem: 'the pool has no nodes', waitingUntil: 'a node joins it' };
  return hold('WaitingForNodes', 'nodes', [pool], cause, false);
}
