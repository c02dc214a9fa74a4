import type { ReasonWord } from '@atoll/api';
import type { Instant } from '@atoll/kube';
import { conditionSince, nameAFew, type Standing } from '../engine/conditions.ts';
import type { Failure } from '../engine/failures.ts';
import type { Hold } from '../engine/hold.ts';
import { troubleOf } from '../engine/trouble.ts';
import { isSettled, runsOldRendering, type Decision } from './decide.ts';
import type { PoolWorkloadSnapshot } from './observe.ts';

/** How the workload stands: what holds for all pools, what moves, what is wrong. */
export function standingOf(
  snapshot: PoolWorkloadSnapshot,
  decision: Decision | undefined,
  holds: readonly Hold[],
  failures: readonly Failure[],
  now: Instant,
): Standing {
  const { conditions } = snapshot.owner.object.status ?? {};
  const trouble = troubleOf(holds, failures, conditionSince(conditions, 'WorkLoadFailure', 'True') ?? now);
  const [first] = holds;
  if (decision === undefined) {
    const reason = first?.reason ?? 'NotYetObserved';
    const message = first?.freedBy ?? 'not yet looked at';
    return { observed: snapshot.certain, done: false, moving: false, reason, message, trouble };
  }
  const { pools, surplus, awaited } = decision;
  const open = pools.filter((pool) => !isSettled(pool));
  if (pools.length > 0 && open.length + surplus.length + awaited.length === 0) {
    const old = pools.filter(runsOldRendering).length;
    const kept = old === 0 ? '' : `; in ${old} of them pods stay as the old operator rendered them`;
    const message = `${poolCount(pools.length)} and every pod available${kept}`;
    return { observed: true, done: true, moving: false, reason: 'RolloutComplete', message, trouble };
  }
  if (pools.length === 0 && surplus.length === 0) {
    const message = 'spec.nodepoolSelector matches no node pool';
    return { observed: true, done: true, moving: false, reason: 'NoPoolsSelected', message, trouble };
  }
  const stuck = new Set([
    ...failures.map((failure) => failure.target),
    ...holds.filter((hold) => hold.bad).flatMap((hold) => hold.targets),
  ]);
  const going = [...open.map(({ pool }) => pool.name), ...surplus.map(({ child }) => child.pool)];
  const moving = going.some((pool) => !stuck.has(pool)) || awaited.length > 0;
  const waits = holds.find((hold) => !hold.bad && hold.reason !== 'OldRenderingKept');
  const reason: ReasonWord = waits?.reason ?? 'RollingOut';
  const done = pools.length - open.length;
  const names = nameAFew(open.map(({ pool }) => pool.name));
  const waiting = open.length === 0 ? 'surplus children are being deleted' : `not yet ${names}`;
  const until = waits === undefined ? '' : `, until ${waits.freedBy}`;
  const message = `${done} of ${pools.length} pools are updated and available; ${waiting}${until}`;
  return { observed: true, done: false, moving, reason, message, trouble };
}

function poolCount(pools: number): string {
  return pools === 1
    ? 'the one selected pool runs the current template'
    : `all ${pools} pools run the current template`;
}
