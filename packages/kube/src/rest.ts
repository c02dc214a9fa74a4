/** How long a key rests after a pass: a multiple of what the pass cost, within bounds. Milliseconds. */
export interface RestLimits {
  readonly factor: number;
  readonly maxMs: number;
  /** However cheap the pass was, as it is when the pass ends; 0 by default. */
  readonly minMs?: () => number;
}

/** Resting for less is not worth a timer. */
const shortestRest = 1;

/** How many milliseconds a key rests after a pass that cost so many; 0: not at all. */
export function restAfter(costMs: number, { factor, maxMs, minMs }: RestLimits): number {
  const restMs = Math.max(minMs?.() ?? 0, Math.min(costMs * factor, maxMs));
  return restMs < shortestRest ? 0 : restMs;
}
