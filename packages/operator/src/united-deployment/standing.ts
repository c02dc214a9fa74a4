import type { ReasonWord } from '@atoll/api';
import type { Instant } from '@atoll/kube';
import { conditionSince, nameAFew, type Standing } from '../engine/conditions.ts';
import type { Failure } from '../engine/failures.ts';
import type { Hold } from '../engine/hold.ts';
import { troubleOf } from '../engine/trouble.ts';
import { isFullyUpdated, isSettled, type Decision } from './decision.ts';
import type { UnitedDeploymentSnapshot } from './observe.ts';

/** How the UnitedDeployment stands: what holds for all subsets, what moves, what is wrong. */
export function standingOf(
  snapshot: UnitedDeploymentSnapshot,
  decision: Decision | undefined,
  holds: readonly Hold[],
  failures: readonly Failure[],
  now: Instant,
): Standing {
  const { conditions } = snapshot.owner.object.status ?? {};
  const trouble = troubleOf(holds, failures, conditionSince(conditions, 'SubsetFailure', 'True') ?? now);
  const [first] = holds;
  if (decision === undefined) {
    const reason = first?.reason ?? 'NotYetObserved';
    const message = first?.freedBy ?? 'not yet looked at';
    return { observed: snapshot.certain, done: false, moving: false, reason, message, trouble };
  }
  const { subsets, surplus, awaited } = decision;
  const open = subsets.filter((each) => !isSettled(each));
  if (open.length + surplus.length + awaited.length === 0) {
    const message = doneMessage(decision);
    return { observed: true, done: true, moving: false, reason: 'RolloutComplete', message, trouble };
  }
  const stuck = new Set([
    ...failures.map((failure) => failure.target),
    ...holds.filter((hold) => hold.bad).flatMap((hold) => hold.targets),
  ]);
  const going = [...open.map(({ subset }) => subset.name), ...surplus.map(({ child }) => child.subset)];
  const blocked = holds.some((hold) => hold.bad && hold.reason === 'KindNotServed');
  const moving = !blocked && (going.some((subset) => !stuck.has(subset)) || awaited.length > 0);
  const waits = holds.find((hold) => !hold.bad && hold.reason !== 'OldRenderingKept');
  const reason: ReasonWord = waits?.reason ?? 'RollingOut';
  const done = subsets.length - open.length;
  const names = nameAFew(open.map(({ subset }) => subset.name));
  const waiting = open.length === 0 ? 'surplus children are being deleted' : `not yet ${names}`;
  const until = waits === undefined ? '' : `, until ${waits.freedBy}`;
  const message = `${done} of ${subsets.length} subsets are updated and available; ${waiting}${until}`;
  return { observed: true, done: false, moving, reason, message, trouble };
}

function doneMessage({ subsets }: Decision): string {
  const total = subsets.reduce((sum, { replicas }) => sum + replicas, 0);
  const back = subsets.filter((each) => !isFullyUpdated(each)).map(({ subset }) => subset.name);
  const held = back.length === 0 ? '' : `; partitions hold back pods of ${nameAFew(back)}`;
  const all = subsets.length === 1 ? 'the one subset runs' : `all ${subsets.length} subsets run`;
  return `${all} the current template with ${total} replicas, and every pod is available${held}`;
}
