import { annotations, type ReasonWord } from '@atoll/api';
import type { Hold } from '../engine/hold.ts';
import { isSettled, runsOldRendering, type Decision, type PoolDecision } from './decide.ts';
import type { PoolWorkloadSnapshot } from './observe.ts';

const listedTargets = 50;
/** A node can carry no longer label value, so no node can ever be in such a pool. */
export const poolNameLimit = 63;

/** What is not as it should be and cannot be moved by us now; what is bad first. */
export function holdsOf(snapshot: PoolWorkloadSnapshot, decision: Decision | undefined): readonly Hold[] {
  if (!snapshot.certain) return [hold('NotYetObserved', 'time', [], 'all caches have been filled', false)];
  const { wish } = snapshot;
  if (!wish.ok) return [hold(wish.reason, 'person', [], wish.problem, true)];
  if (decision === undefined) return [];
  if (wish.pools.length === 0) {
    const freedBy = 'a node pool carries the labels that spec.nodepoolSelector asks for';
    return [hold('NoPoolsSelected', 'nodes', [], freedBy, false)];
  }
  const sorted = new Map<string, { readonly like: Hold; readonly pools: string[] }>();
  for (const pool of decision.pools) {
    const found = holdOf(pool);
    if (found === undefined) continue;
    const id = `${found.reason} ${found.bad}`;
    const group = sorted.get(id) ?? { like: found, pools: [] };
    sorted.set(id, group);
    group.pools.push(pool.pool.name);
  }
  const holds = [...sorted.values()].map(({ like, pools }) => ({
    ...like,
    targets: pools.slice(0, listedTargets),
    count: pools.length,
  }));
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
  return [
    {
      ...hold('OldRenderingKept', 'person', pools.slice(0, listedTargets), freedBy, false),
      count: pools.length,
    },
  ];
}

export function isTooLong(pool: string): boolean {
  return pool.length > poolNameLimit;
}

function holdOf(decision: PoolDecision): Hold | undefined {
  const { pool, child, health, occupant, target, overridden } = decision;
  if (overridden) {
    const freedBy = `a YurtAppOverrider had changed the child, which stays as it is until the template says the same, or the annotation ${annotations.discardOverrides}: "true" on this object brings it to the template and replaces its pods`;
    return hold('OverrideKept', 'person', [pool.name], freedBy, true);
  }
  if (child === undefined && pool.terminating) {
    const freedBy = 'the pool is gone; it is being deleted, and gets no new child';
    return hold('PoolTerminating', 'time', [pool.name], freedBy, false);
  }
  if (child === undefined && isTooLong(pool.name)) {
    const freedBy = `a pool name of at most ${poolNameLimit} characters: no node can carry a longer one`;
    return hold('PoolNameTooLong', 'person', [pool.name], freedBy, true);
  }
  if (child === undefined && occupant?.ours === true) {
    const freedBy = `the old ${occupant.kind} ${occupant.name} is gone; it is being deleted`;
    return hold('NameTaken', 'time', [pool.name], freedBy, false);
  }
  if (child === undefined && occupant !== undefined) {
    const owner = occupant.holder === 'nobody' ? 'has no controller' : `belongs to ${occupant.holder}`;
    const freedBy = `the ${occupant.kind} ${occupant.name}, which ${owner}, stands in the way until it is renamed or removed`;
    return hold('NameTaken', 'person', [pool.name], freedBy, true);
  }
  if (child === undefined || health === undefined || isSettled(decision)) return undefined;
  if (target.revision !== target.wanted) return undefined;
  if (health.stuck !== undefined) return hold('WaitingForReady', 'health', [pool.name], health.stuck, true);
  if (pool.nodes === 0) return hold('WaitingForNodes', 'nodes', [pool.name], 'a node joins the pool', false);
  return hold('WaitingForReady', 'health', [pool.name], 'the new pods are available', false);
}

function hold(
  reason: ReasonWord,
  waitsFor: Hold['waitsFor'],
  targets: readonly string[],
  freedBy: string,
  bad: boolean,
): Hold {
  return { reason, waitsFor, targets, count: targets.length, freedBy, bad };
}
