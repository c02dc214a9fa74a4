/** How long a key rests after a pass: a multiple of what the pass cost, within bounds. Milliseconds. */
export interface RestLimits {
  readonly factor: number;
  readonly maxMs: number;
  /** However cheap the pass was, unless it asks to be repeated; 0 by default. */
  readonly minMs?: number;
  /**
   * At most, unless its back-off is longer, where the pass asks to be repeated: then the back-off sees to it that looking
   * again stays rare. Without it as long as any other.
   */
  readonly maxRetryMs?: number;
}

/** Resting for less is not worth a timer. */
const shortestRest = 1;

/** How many milliseconds a key rests after a pass that cost so many and is to be repeated after `retryMs`; 0: not at all. */
export function restAfter(
  costMs: number,
  { factor, maxMs, minMs = 0, maxRetryMs = Infinity }: RestLimits,
  retryMs?: number,
): number {
  const ofCost = Math.min(costMs * factor, maxMs);
  const restMs =
    retryMs === undefined ? Math.max(minMs, ofCost) : Math.min(ofCost, Math.max(retryMs, maxRetryMs));
  return restMs < shortestRest ? 0 : restMs;
}
