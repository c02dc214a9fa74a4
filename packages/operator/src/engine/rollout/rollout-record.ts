import type { Instant } from '@atoll/kube';

/**
 * A write of our own that what is seen of its target does not show yet. `in-flight`: not answered. `in-doubt`: it left, and its
 * answer was lost. `unseen`: done, and the caches are behind it.
 */
export interface OwnWrite {
  readonly does: 'start' | 'create';
  readonly fate: 'in-flight' | 'in-doubt' | 'unseen';
}

/** What is remembered of a rollout beside what is seen: never more than what the caches do not show yet. */
export interface RolloutRecord {
  /** By the id of the target. */
  readonly writes: ReadonlyMap<string, OwnWrite>;
  /** When the last batch of changes was sent. */
  readonly lastBatchAt?: Instant;
}

export const noRecord: RolloutRecord = { writes: new Map() };
