import type { Instant } from '@atoll/kube';
import { takenOver } from '../children/owner-step.ts';
import { standingOfPlaces, standingUndecided, type Places } from '../places/standing.ts';
import { conditionSince, type Standing } from '../engine/status/conditions.ts';
import { failuresOf } from '../engine/failures.ts';
import type { Hold } from '../engine/hold.ts';
import type { Outcome } from '../engine/step.ts';
import { troubleOf } from '../engine/trouble.ts';
import { isSettled, runsOldRendering, type Decision } from './decision.ts';
import { noPoolsSelected } from './holds.ts';
import type { PoolWorkloadSnapshot } from './observe.ts';

/** How the workload stands: what holds for all pools, what moves, what is wrong. */
export function standingOf(
  snapshot: PoolWorkloadSnapshot,
  decision: Decision | undefined,
  holds: readonly Hold[],
  outcome: Outcome,
  now: Instant,
): Standing {
  const { conditions } = snapshot.owner.object.status ?? {};
  const failures = failuresOf(outcome);
  const trouble = troubleOf(holds, failures, conditionSince(conditions, 'WorkLoadFailure', 'True') ?? now);
  if (decision === undefined) return standingUndecided(snapshot.certain, holds, trouble);
  return standingOfPlaces(placesOf(decision, takenOver(outcome)), holds, failures, trouble);
}

/** `unseen`: pools whose child is still to be compared. */
function placesOf({ places, toDelete, pendingDeletion }: Decision, unseen: ReadonlySet<string>): Places {
  return {
    called: 'pools',
    count: places.length,
    open: places
      .filter((each) => !isSettled(each) || unseen.has(each.place.name))
      .map(({ place }) => place.name),
    toDelete: toDelete.map(({ child }) => child.place),
    pendingDeletion: pendingDeletion.length,
    done: () => doneWith(places),
  };
}

function doneWith(pools: Decision['places']): ReturnType<Places['done']> {
  if (pools.length === 0) {
    return { reason: 'NoPoolsSelected', message: noPoolsSelected };
  }
  const old = pools.filter(runsOldRendering).length;
  const kept = old === 0 ? '' : `; in ${old} of them pods stay as the old operator rendered them`;
  const all =
    pools.length === 1
      ? 'the one selected pool runs the current template'
      : `all ${pools.length} pools run the current template`;
  return { reason: 'RolloutComplete', message: `${all} and every pod available${kept}` };
}
