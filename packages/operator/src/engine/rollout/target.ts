import type { Instant } from '@atoll/kube';

/** What runs at a target: a revision, nothing, or something of which the revision cannot be known. */
export type At = { readonly revision: string; readonly kind?: string } | 'nothing' | 'unknown';

/** `gone`: what runs there is being deleted or has ended, and serves nobody again. */
export type Health = 'healthy' | 'starting' | 'broken' | 'gone';

/** `taint`: its node is Ready, and this taint of its absence still keeps new pods off. */
export type Reach = 'reachable' | { readonly awaySince: Instant; readonly taint?: string };

/** One thing that a rollout changes: a pool's child, a subset's child, a node's pod. */
export interface Target {
  /** Unique within the workload, stable: the pool, subset or node name. */
  readonly id: string;
  readonly zone?: string;
  readonly labels: Readonly<Record<string, string>>;
  /** During a change of kind this is the old child, as long as it is what runs. */
  readonly at: At;
  /** The revision that it is to have. */
  readonly wanted: string;
  /** Where the target is away: as it was when it went away, as far as that is known. */
  readonly health: Health;
  readonly reach: Reach;
}

/** Whether the wanted revision is what runs there, healthy or not. */
export function isAtWanted({ at, wanted }: Pick<Target, 'at' | 'wanted'>): boolean {
  return revisionAt(at) === wanted;
}

/** The revision that runs there; undefined: nothing, or of an unknown one. */
export function revisionAt(at: At): string | undefined {
  return typeof at === 'object' ? at.revision : undefined;
}
