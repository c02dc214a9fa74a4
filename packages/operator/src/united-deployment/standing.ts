import type { Instant } from '@atoll/kube';
import { takenOver } from '../children/owner-step.ts';
import { standingOfPlaces, standingUndecided, type Places } from '../places/standing.ts';
import { conditionSince, nameAFew, type Standing } from '../engine/status/conditions.ts';
import { failuresOf } from '../engine/failures.ts';
import type { Hold } from '../engine/hold.ts';
import type { Outcome } from '../engine/step.ts';
import { troubleOf } from '../engine/trouble.ts';
import { isFullyUpdated, isSettled, type Decision } from './decision.ts';
import type { UnitedDeploymentSnapshot } from './observe.ts';

/** How the UnitedDeployment stands: what holds for all subsets, what moves, what is wrong. */
export function standingOf(
  snapshot: UnitedDeploymentSnapshot,
  decision: Decision | undefined,
  holds: readonly Hold[],
  outcome: Outcome,
  now: Instant,
): Standing {
  const { conditions } = snapshot.owner.object.status ?? {};
  const failures = failuresOf(outcome);
  const trouble = troubleOf(holds, failures, conditionSince(conditions, 'SubsetFailure', 'True') ?? now);
  if (decision === undefined) return standingUndecided(snapshot.certain, holds, trouble);
  return standingOfPlaces(placesOf(decision, takenOver(outcome)), holds, failures, trouble);
}

/** `unseen`: subsets whose child is still to be compared. */
function placesOf(decision: Decision, unseen: ReadonlySet<string>): Places {
  const { places, toDelete, pendingDeletion } = decision;
  return {
    called: 'subsets',
    count: places.length,
    open: places
      .filter((each) => !isSettled(each) || unseen.has(each.place.name))
      .map(({ place }) => place.name),
    toDelete: toDelete.map(({ child }) => child.place),
    pendingDeletion: pendingDeletion.length,
    done: () => ({ reason: 'RolloutComplete', message: doneMessage(decision) }),
  };
}

function doneMessage({ places: subsets }: Decision): string {
  const given = subsets.reduce((sum, { replicas }) => sum + replicas, 0);
  const reserving = subsets.filter(({ reservedPods }) => reservedPods > 0);
  const reserved = reserving.reduce((sum, { reservedPods }) => sum + reservedPods, 0);
  const back = subsets.filter((each) => !isFullyUpdated(each)).map(({ place }) => place.name);
  const held = back.length === 0 ? '' : `; partitions hold back pods of ${nameAFew(back)}`;
  const all = subsets.length === 1 ? 'the one subset runs' : `all ${subsets.length} subsets run`;
  const counted = given - reserved;
  const total = counted === 1 ? '1 replica' : `${counted} replicas`;
  if (reserved === 0) return `${all} the current template with ${total}, and every pod is available${held}`;
  const names = nameAFew(reserving.map(({ place }) => place.name));
  const waiting = reserved === 1 ? 'a reserved pod waits' : `${reserved} reserved pods wait`;
  return `${all} the current template with ${total}, all available; ${waiting} for room in ${names}${held}`;
}
