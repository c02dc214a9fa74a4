import { annotations, labels } from '@atoll/api';
import type { Instant } from '@atoll/kube';
import { chooseTargets } from '../engine/rollout/choose-targets.ts';
import type { Target } from '../engine/rollout/target.ts';
import { byAge, byService, isTerminating } from '../children/child.ts';
import { healthOf, type ChildHealth } from '../children/child-health.ts';
import { lateAt } from '../children/late.ts';
import { neededRevisions } from '../children/revisions/needed-revisions.ts';
import type { Revision } from '../children/revisions/revision.ts';
import type { Child, ChildKind } from './child.ts';
import type { Decision, PoolDecision, PoolWorkloadDecision, Surplus, Understood } from './decision.ts';
import { holdsOf } from './holds.ts';
import { keptDifference } from './take-over/kept-as-found.ts';
import { knownToOldOperator } from './take-over/known-to-old-operator.ts';
import type { PoolWorkloadSnapshot, SelectedPool } from './observe.ts';
import { isOverridden } from './take-over/overridden.ts';

export function decide(snapshot: PoolWorkloadSnapshot, now: Instant): PoolWorkloadDecision {
  const { owner, certain, wish } = snapshot;
  // The garbage collector takes the children; anything made now would only be in its way.
  if (isTerminating(owner.object)) return { holds: [], decided: undefined };
  const decided = certain && wish.ok ? decidePools(snapshot, wish) : undefined;
  return { holds: holdsOf(snapshot, decided, now), decided };
}

/** For each selected pool the child that serves it and the revision that it should run; and who is too many. */
function decidePools(snapshot: PoolWorkloadSnapshot, wish: Understood): Decision {
  const { kind } = wish.revision.update.template;
  const live = snapshot.children.filter((child) => !isTerminating(child.object)).sort(byService);
  const serving = new Map<string, Child>();
  const surplus: Surplus[] = [];
  for (const child of live) {
    const { pool } = child;
    if (pool === undefined) continue;
    const departure = snapshot.departures[pool];
    const first = serving.get(pool);
    if (departure !== undefined) surplus.push({ child, because: { departure } });
    else if (child.kind === kind && first === undefined) serving.set(pool, child);
    else if (child.kind === kind && first !== undefined) {
      const byStatus = byAge(child, first) < 0;
      surplus.push({ child, because: { twinOf: first.object.metadata.name, byStatus } });
    }
  }
  const listed = wish.pools.map((pool) => {
    const child = serving.get(pool.name);
    const health = child === undefined ? undefined : healthOf(child);
    const late = child === undefined ? undefined : lateAt(child, snapshot.pods[child.object.metadata.uid]);
    const target = targetOf(pool, child, health, wish.revision.update);
    return { pool, child, health, lateAt: late, target };
  });
  const chosen = chooseTargets(listed.map(({ target }) => target));
  const mayMove = new Set(chosen.move);
  const revisions = new Map([...snapshot.history, wish.revision.update].map((each) => [each.label, each]));
  const { owner, history, children } = snapshot;
  const { replicas } = wish;
  const known = knownToOldOperator(wish.revision, replicas, history);
  const pools = listed.map((each): PoolDecision => {
    const { target, pool, child } = each;
    const stays =
      target.revision !== undefined && target.revision !== target.wanted && !mayMove.has(target.id);
    const revision = revisions.get(stays ? (target.revision ?? '') : target.wanted);
    const occupant = snapshot.occupants[pool.childName];
    if (child === undefined || revision === undefined) {
      return { ...each, revision, occupant, overridden: false, kept: undefined };
    }
    const { object } = child;
    const input = { owner, pool, name: object.metadata.name, revision, replicas, knownToOldOperator: known };
    const overridden = isOverridden(input, object);
    const kept = overridden ? undefined : keptDifference(input, object);
    return { ...each, revision, occupant, overridden, kept };
  });
  const awaited: Child[] = [];
  for (const child of live) {
    if (child.kind === kind || child.pool === undefined) continue;
    const successor = pools.find(({ pool }) => pool.name === child.pool);
    if (successor === undefined) continue;
    const { child: next, health } = successor;
    if (next !== undefined && health?.updated === true && health.available) {
      surplus.push({ child, because: { replacedBy: `${kind} ${next.object.metadata.name}` } });
    } else awaited.push(child);
  }
  const current = owner.object.status?.currentRevision;
  const { update } = wish.revision;
  const needed = neededRevisions(update, history, current, children, labels.controllerRevisionHash);
  return { wish, pools, surplus, awaited, rolloutHolds: chosen.holds, needed };
}

function targetOf(
  pool: SelectedPool,
  child: Child | undefined,
  health: ChildHealth | undefined,
  update: Revision<ChildKind>,
): Target {
  const started = Date.parse(child?.object.metadata.annotations?.[annotations.startedAt] ?? '');
  return {
    id: pool.name,
    pool: pool.name,
    labels: pool.labels,
    revision: child?.object.metadata.labels?.[labels.controllerRevisionHash],
    wanted: update.label,
    healthy: health?.available ?? false,
    reachable: true,
    ...(Number.isNaN(started) ? {} : { startedAt: started }),
  };
}
