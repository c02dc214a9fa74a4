import type { PoolWorkload } from '@atoll/api';
import type { Instant } from '@atoll/kube';
import { isTerminating } from '../children/child.ts';
import { allAtOnce, type PolicyOf } from '../engine/rollout/rollout-policy.ts';
import { childrenToDelete } from '../places/children/children-to-delete.ts';
import { decidePlaces } from '../places/decide-places.ts';
import { ifPoolLeft, lostPools } from '../places/pools/pools-left.ts';
import { poolPlaces } from './child.ts';
import type { Decision, PoolDecision, PoolWorkloadDecision, Understood } from './decision.ts';
import { holdsOf, toInspect } from './holds.ts';
import type { PoolWorkloadSnapshot } from './observe.ts';
import type { RenderInput } from './rendering/render-child.ts';
import { conflictOf } from './take-over/conflicting-controller.ts';
import { keptDifference } from './take-over/kept-as-found.ts';
import { isOverridden } from './take-over/overridden.ts';

export function decide(
  snapshot: PoolWorkloadSnapshot,
  now: Instant,
  policyOf: PolicyOf<PoolWorkload> = allAtOnce,
): PoolWorkloadDecision {
  const { owner, certain, desired, yurtManagers } = snapshot;
  // The garbage collector takes the children; anything made now would only be in its way.
  const nothing = { conflict: undefined, holds: [], inspect: [], decided: undefined };
  if (isTerminating(owner.object)) return nothing;
  const conflict = certain ? conflictOf(owner.object, yurtManagers, now) : undefined;
  if (conflict !== undefined) return { ...nothing, conflict, holds: [conflict] };
  const decided = certain && desired.ok ? decidePools(snapshot, desired, now, policyOf) : undefined;
  const inspect = decided === undefined ? [] : toInspect(decided, now);
  return { conflict, holds: holdsOf(snapshot, decided, now), inspect, decided };
}

/** For each selected pool the child that serves it and the revision that it is to have, and the children to be deleted. */
function decidePools(
  snapshot: PoolWorkloadSnapshot,
  desired: Understood,
  now: Instant,
  policyOf: PolicyOf<PoolWorkload>,
): Decision {
  const { owner, children, history, poolsLeft, definitionOfPools } = snapshot;
  const { places: pools, revision, replicas, knownToOldOperator } = desired;
  const { update } = revision;
  const { currentRevision } = owner.object.status ?? {};
  const policy = policyOf(owner.object, update.label);
  const observed = { ...snapshot, places: pools, update, currentRevision, policy };
  const decided = decidePlaces(observed, poolPlaces.revisionLabel, now);
  const places = decided.places.map((each): PoolDecision => {
    const { place, child, revision: given } = each;
    if (child === undefined || given === undefined) return { ...each, overridden: false, kept: undefined };
    const { object } = child;
    const input: RenderInput = {
      owner,
      pool: place,
      name: object.metadata.name,
      revision: given,
      replicas,
      knownToOldOperator,
      history,
    };
    const overridden = isOverridden(input, object);
    return { ...each, overridden, kept: overridden ? undefined : keptDifference(input, object) };
  });
  const lost = lostPools(children, poolsLeft, definitionOfPools);
  const deletions = childrenToDelete(children, places, {
    ifLeft: ifPoolLeft(poolsLeft, lost, definitionOfPools),
    replacement: ({ health }) => (health?.updated === true && health.available ? 'available' : 'missing'),
  });
  return { desired, ...decided, places, lost, ...deletions };
}
