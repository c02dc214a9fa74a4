import { annotations } from '@atoll/api';
import type { Instant } from '@atoll/kube';
import { isOnlyLate, wrongWith } from '../children/late.ts';
import { occupiedHold } from '../children/occupant.ts';
import { isOnDelete, waitsForDeletion } from '../children/pods/on-delete.ts';
import { isPaused, waitsForResume } from '../children/paused.ts';
import { hold, joinHolds, type Hold } from '../engine/hold.ts';
import { isSettled, runsOldRendering, type Decision, type PoolDecision } from './decision.ts';
import type { PoolWorkloadSnapshot } from './observe.ts';

/** A node can carry no longer label value, so no node can ever be in such a pool. */
export const poolNameLimit = 63;

/** What is not as it should be and cannot be moved by us now; what is bad first. */
export function holdsOf(
  snapshot: PoolWorkloadSnapshot,
  decision: Decision | undefined,
  now: Instant,
): readonly Hold[] {
  if (!snapshot.certain) return [hold('NotYetObserved', 'time', [], 'all caches have been filled', false)];
  const { wish } = snapshot;
  if (!wish.ok) return [hold(wish.reason, 'person', [], wish.problem, true)];
  if (decision === undefined) return [];
  if (wish.pools.length === 0) {
    const freedBy = 'a node pool carries the labels that spec.nodepoolSelector asks for';
    return [hold('NoPoolsSelected', 'nodes', [], freedBy, false)];
  }
  const holds = joinHolds(
    decision.pools.map((pool) => holdOf(pool, now)).filter((found) => found !== undefined),
  );
  return [
    ...[...holds, ...decision.rolloutHolds].sort((a, b) => Number(b.bad) - Number(a.bad)),
    ...kept(decision),
  ];
}

/** Nothing waits for these, so they stand last. */
function kept(decision: Decision): readonly Hold[] {
  const pools = decision.pools.filter(runsOldRendering).map(({ pool }) => pool.name);
  if (pools.length === 0) return [];
  const freedBy = 'the pod template changes; until then the pods stay as the old operator rendered them';
  return [hold('OldRenderingKept', 'person', pools, freedBy, false)];
}

export function isTooLong(pool: string): boolean {
  return pool.length > poolNameLimit;
}

function holdOf(decision: PoolDecision, now: Instant): Hold | undefined {
  const { pool, child, health, occupant, target, overridden, kept } = decision;
  if (overridden) {
    const freedBy = `a YurtAppOverrider had changed the child, which stays as it is until the template says the same, or the annotation ${annotations.discardOverrides}: "true" on this object brings it to the template and replaces its pods`;
    return hold('OverrideKept', 'person', [pool.name], freedBy, true);
  }
  if (kept !== undefined) {
    const freedBy = `${kept}: kept as an older operator left it, until the template is edited there or the annotation ${annotations.applyTemplate}: "true" on this object applies it, which may replace pods`;
    return hold('OldTemplateKept', 'person', [pool.name], freedBy, true);
  }
  if (child === undefined && pool.terminating) {
    const freedBy = 'the pool is gone; it is being deleted, and gets no new child';
    return hold('PoolTerminating', 'time', [pool.name], freedBy, false);
  }
  if (child === undefined && isTooLong(pool.name)) {
    const freedBy = `a pool name of at most ${poolNameLimit} characters: no node can carry a longer one`;
    return hold('PoolNameTooLong', 'person', [pool.name], freedBy, true);
  }
  if (child === undefined && occupant !== undefined) return occupiedHold(occupant, pool.name);
  if (child === undefined || health === undefined || isSettled(decision)) return undefined;
  if (target.revision !== target.wanted) return undefined;
  const isEmpty = pool.nodes === 0;
  // Waiting is given up after ten minutes; for the first node of a pool nobody is late.
  const wrong = wrongWith(child, health, decision.lateAt, now);
  if (wrong !== undefined && !(isEmpty && isOnlyLate(health))) {
    return hold('WaitingForReady', 'health', [pool.name], wrong, true);
  }
  if (isEmpty) return hold('WaitingForNodes', 'nodes', [pool.name], 'a node joins the pool', false);
  if (!health.updated && isPaused(child.object)) {
    return waitsForResume(pool.name, `${child.kind} ${child.object.metadata.name}`);
  }
  if (!health.updated && isOnDelete(child.object)) {
    return waitsForDeletion(pool.name, Math.max(1, health.replicas - health.updatedReplicas));
  }
  return hold('WaitingForReady', 'health', [pool.name], 'the new pods are available', false);
}
