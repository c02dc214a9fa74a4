import { annotations } from '@atoll/api';
import type { Hold } from '../engine/hold.ts';
import type { Inspection } from '../engine/inspection.ts';
import type { ChildToDelete } from '../places/children/children-to-delete.ts';
import type { DecidedPlaces, PlaceDecision } from '../places/decide-places.ts';
import type { LostPool } from '../places/pools/pools-left.ts';
import type { SelectedPool } from '../places/pools/select-pools.ts';
import type { Child, ChildKind } from './child.ts';
import type { Desired } from './observe.ts';
import { isAtWanted } from '../engine/rollout/target.ts';

/** What is decided for one selected pool. */
export interface PoolDecision extends PlaceDecision<SelectedPool, ChildKind> {
  /** An old operator's overrider has changed the child, which is left alone until a person decides. */
  readonly overridden: boolean;
  /** What differs in a child that stays as an old operator left it; undefined: it does not. */
  readonly kept: string | undefined;
}

export type Understood = Extract<Desired, { ok: true }>;

export interface Decision extends DecidedPlaces<PoolDecision> {
  readonly desired: Understood;
  /** Children that stay because their pools may come back. */
  readonly lost: readonly LostPool[];
  readonly toDelete: readonly ChildToDelete<ChildKind>[];
  /** Children of the other kind that stay until the one that replaces them is available. */
  readonly pendingDeletion: readonly Child[];
}

/** All that plan, events and status of a workload are made of. */
export interface PoolWorkloadDecision {
  /** Somebody else serves the workload; then nothing else is decided. */
  readonly conflict: Hold | undefined;
  /** What is not as it should be and cannot be moved by us now; what is bad first. */
  readonly holds: readonly Hold[];
  /** Children whose pods may show why they are not healthy. */
  readonly inspect: readonly Inspection[];
  /** undefined: nothing may be done, because the spec cannot be understood, a cache is not filled, or the workload is going. */
  readonly decided: Decision | undefined;
}

/** Whether all that runs in the pool is of the wanted revision, available or not. */
export function isUpdated(decision: PoolDecision): boolean {
  return decision.health?.updated === true && bearsTemplate(decision);
}

/** Whether the pool's child has what is wanted, whatever its pods do. */
export function bearsTemplate({ target, overridden, kept }: PoolDecision): boolean {
  return isAtWanted(target) && !overridden && kept === undefined;
}

/** Whether nothing is left to do for the pool. */
export function isComplete(decision: PoolDecision): boolean {
  return bearsTemplate(decision) && servesInFull(decision);
}

/** Whether the pool has all pods that it is to have, also where they stay as an older operator left them. */
export function servesInFull({ target, health }: PoolDecision): boolean {
  return isAtWanted(target) && health?.updated === true && health.available;
}

/** Whether the pool's pods were left as the old operator rendered them. */
export function runsOldRendering({ child }: PoolDecision): boolean {
  return child?.object.metadata.annotations?.[annotations.oldRendering] !== undefined;
}
