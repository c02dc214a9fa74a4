import type { IntervalLimits } from '@atoll/kube';

/**
 * The minimum interval between two reconciles of a controller that replaces pods itself: the next pod waits for the one that became ready, so
 * that a second is too long; and thousands become ready one by one, so that each alone is too soon. Reconciling takes at most a
 * fifth of a core meanwhile.
 */
export const podsInterval: IntervalLimits = { minMs: 50, factor: 4, maxMs: 1_000, maxRetryMs: 500 };
