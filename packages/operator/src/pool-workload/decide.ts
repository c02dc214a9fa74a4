import { annotations, labels } from '@atoll/api';
import type { Instant } from '@atoll/kube';
import type { Occupant } from '../children/occupant.ts';
import { chooseTargets } from '../engine/rollout/choose-targets.ts';
import type { Hold } from '../engine/hold.ts';
import type { Target } from '../engine/rollout/target.ts';
import { byAge, byService, isTerminating } from '../children/child.ts';
import { healthOf, type ChildHealth } from '../children/child-health.ts';
import { lateAt } from '../children/late.ts';
import { neededRevisions } from '../children/revisions/needed-revisions.ts';
import type { Revision } from '../children/revisions/revision.ts';
import type { Child, ChildKind } from './child.ts';
import type { Seen } from '../engine/step.ts';
import { keptDifference } from './kept-as-found.ts';
import { knownToOldOperator } from './known-to-old-operator.ts';
import type { PoolWorkloadSnapshot, SelectedPool, Wish } from './observe.ts';
import { isOverridden } from './overridden.ts';

/** What is decided for one selected pool. */
export interface PoolDecision {
  readonly pool: SelectedPool;
  readonly target: Target;
  /** The child that serves the pool; of several one that has available pods, of those the oldest. */
  readonly child: Child | undefined;
  readonly health: ChildHealth | undefined;
  /** When it is too long that the child awaits its pods; undefined: it awaits none, or tells so itself. */
  readonly lateAt: Instant | undefined;
  /** undefined: the child runs something that the history has lost, and may not move: it is left alone. */
  readonly revision: Revision<ChildKind> | undefined;
  readonly occupant: Occupant | undefined;
  /** An old operator's overrider has changed the child, which is left alone until a person decides. */
  readonly overridden: boolean;
  /** What differs in a child that stays as an old operator left it; undefined: it does not. */
  readonly kept: string | undefined;
}

/** A child that has to go. */
export interface Surplus {
  readonly child: Child;
  readonly because:
    /** Its pool is not selected, or there is none. */
    | { readonly departure: Seen }
    /** `byStatus`: an older one, which goes because it has no available pods and the other has. */
    | { readonly twinOf: string; readonly byStatus: boolean }
    /** It served the pool before the template became one of the other kind. */
    | { readonly replacedBy: string };
}

export interface Decision {
  readonly pools: readonly PoolDecision[];
  readonly surplus: readonly Surplus[];
  /** Children of the other kind that stay until their successor is available. */
  readonly awaited: readonly Child[];
  /** From the one place that chooses who may move. */
  readonly rolloutHolds: readonly Hold[];
  readonly needed: ReadonlySet<string>;
}

/** Plan and report ask the same of a snapshot. */
const decisions = new WeakMap<PoolWorkloadSnapshot, Decision>();

/** For each selected pool the child that serves it and the revision that it should run; and who is too many. */
export function decide(snapshot: PoolWorkloadSnapshot, wish: Extract<Wish, { ok: true }>): Decision {
  const known = decisions.get(snapshot) ?? decideAnew(snapshot, wish);
  decisions.set(snapshot, known);
  return known;
}

function decideAnew(snapshot: PoolWorkloadSnapshot, wish: Extract<Wish, { ok: true }>): Decision {
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
    const place = { owner, pool, name: object.metadata.name, revision, replicas, knownToOldOperator: known };
    const overridden = isOverridden(place, object);
    const kept = overridden ? undefined : keptDifference(place, object);
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
  return { pools, surplus, awaited, rolloutHolds: chosen.holds, needed };
}

/** Whether all that runs in the pool is of the wanted revision, available or not. */
export function isUpdated(decision: PoolDecision): boolean {
  return decision.health?.updated === true && bearsTemplate(decision);
}

/** Whether the pool's child says what is wanted, whatever its pods do. */
export function bearsTemplate({ target, overridden, kept }: PoolDecision): boolean {
  return target.revision === target.wanted && !overridden && kept === undefined;
}

/** Whether nothing is left to do for the pool. */
export function isSettled(decision: PoolDecision): boolean {
  return isUpdated(decision) && decision.health?.available === true;
}

/** Whether the pool's pods were left as the old operator rendered them. */
export function runsOldRendering({ child }: PoolDecision): boolean {
  return child?.object.metadata.annotations?.[annotations.oldRendering] !== undefined;
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
