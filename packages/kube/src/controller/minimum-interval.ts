/** The minimum interval after a reconcile of a key: a multiple of what the reconcile cost, within bounds. Milliseconds. */
export interface IntervalLimits {
  readonly factor: number;
  readonly maxMs: number;
  /** However cheap the reconcile was, unless it asks to be repeated; 0 by default. */
  readonly minMs?: number;
  /**
   * The longest interval after a reconcile that asks to be repeated, unless its back-off is longer: the back-off keeps such
   * reconciles rare. Absent: as after any other.
   */
  readonly maxRetryMs?: number;
}

/** Waiting for less is not worth a timer. */
const shortest = 1;

/** How many milliseconds a key waits after a reconcile that cost so many and is to be repeated after `retryMs`; 0: not at all. */
export function intervalAfter(
  costMs: number,
  { factor, maxMs, minMs = 0, maxRetryMs = Infinity }: IntervalLimits,
  retryMs?: number,
): number {
  const ofCost = Math.min(costMs * factor, maxMs);
  const intervalMs =
    retryMs === undefined ? Math.max(minMs, ofCost) : Math.min(ofCost, Math.max(retryMs, maxRetryMs));
  return intervalMs < shortest ? 0 : intervalMs;
}
