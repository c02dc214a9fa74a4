/** So many failures in a row end a stage that starts slowly, where it states no other number. */
export const failuresThatEndAStage = 10;

/**
 * How a stage starts: waves of 1, 2, 4, … requests up to the bound, and from then on as many at once as the bound allows, so that
 * nothing waits for the slowest of a wave. A wave in which every step failed makes the next one small again.
 */
export interface RequestWaves {
  /** The size of this wave; at the bound there are no waves any more. */
  readonly size: number;
  /** So many have been started in this wave, so many of them failed, and so many are under way. */
  readonly started: number;
  readonly failed: number;
  readonly open: number;
  readonly failuresInARow: number;
  /** So many of these end it. */
  readonly endsAfter: number;
}

export const firstWave: RequestWaves = {
  size: 1,
  started: 0,
  failed: 0,
  open: 0,
  failuresInARow: 0,
  endsAfter: failuresThatEndAStage,
};

/** So many steps may be started now. */
export function roomIn({ size, open, failuresInARow, endsAfter }: RequestWaves, bound: number): number {
  if (failuresInARow >= endsAfter) return 0;
  if (size >= bound) return bound - open;
  return open === 0 ? size : 0;
}

/** With so many started; in waves only after the last one is over. */
export function withStarted(before: RequestWaves, count: number, bound: number): RequestWaves {
  if (before.size >= bound) return { ...before, open: before.open + count };
  return { ...before, started: count, failed: 0, open: count };
}

/** With the result of one of them. */
export function withResult(before: RequestWaves, hasFailed: boolean, bound: number): RequestWaves {
  const open = before.open - 1;
  if (before.size >= bound) {
    return { ...before, open, failuresInARow: hasFailed ? before.failuresInARow + 1 : 0 };
  }
  const failed = before.failed + (hasFailed ? 1 : 0);
  if (open > 0) return { ...before, open, failed };
  const allFailed = failed === before.started;
  return {
    ...before,
    size: allFailed ? 1 : Math.min(before.size * 2, bound),
    started: 0,
    failed: 0,
    open,
    failuresInARow: allFailed ? before.failuresInARow + failed : 0,
  };
}
