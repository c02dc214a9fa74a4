import { annotations } from '@atoll/api';
import type { Instant } from '@atoll/kube';
import type { ChildHealth } from '../children/child-health.ts';
import type { Occupant } from '../children/occupant.ts';
import type { Revision } from '../children/revisions/revision.ts';
import type { Hold } from '../engine/hold.ts';
import type { Target } from '../engine/rollout/target.ts';
import type { Seen } from '../engine/step.ts';
import type { Child, ChildKind } from './child.ts';
import type { SelectedPool, Wish } from './observe.ts';

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

export type Understood = Extract<Wish, { ok: true }>;

export interface Decision {
  readonly wish: Understood;
  readonly pools: readonly PoolDecision[];
  readonly surplus: readonly Surplus[];
  /** Children of the other kind that stay until their successor is available. */
  readonly awaited: readonly Child[];
  /** From the one place that chooses who may move. */
  readonly rolloutHolds: readonly Hold[];
  readonly needed: ReadonlySet<string>;
}

/** All that plan, events and status of a workload are made of. */
export interface PoolWorkloadDecision {
  /** What is not as it should be and cannot be moved by us now; what is bad first. */
  readonly holds: readonly Hold[];
  /** undefined: nothing may be done, because the spec cannot be understood, a cache is not filled, or the workload is going. */
  readonly decided: Decision | undefined;
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
