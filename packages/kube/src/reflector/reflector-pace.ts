/** How a reflector paces its requests. Milliseconds throughout, but for `watchSeconds`. */
export interface ReflectorPace {
  /** The first pause after a failure; it doubles with each further one. */
  readonly firstPauseMs: number;
  readonly longestPauseMs: number;
  /** A stream that lasted this long was a success: the next failure counts as the first. */
  readonly healthyMs: number;
  /** How long headers, or a page of a list, may take. */
  readonly answerMs: number;
  /**
   * Silence that ends a watch. The API server sends a bookmark about every minute, so that silence means a dead
   * connection, a store that was set back and has not reached the watch's version, or a server without bookmarks. What
   * follows begins with a list.
   */
  readonly silenceMs: number;
  /** Silence that ends the initial events of a stream: a server that does not know them never ends them by itself. */
  readonly initialSilenceMs: number;
  /** Shortest and longest time for which the server is asked to keep a watch; the jitter spreads many watchers. */
  readonly watchSeconds: readonly [number, number];
  readonly pageSize: number;
}

/** The pace of a reflector that is given no other. */
export const defaultPace: ReflectorPace = {
  firstPauseMs: 250,
  longestPauseMs: 30_000,
  healthyMs: 10_000,
  answerMs: 30_000,
  silenceMs: 150_000,
  initialSilenceMs: 30_000,
  watchSeconds: [300, 600],
  pageSize: 500,
};

/**
 * The pause after the `failures`-th failure in a row, at least as long as the server asked for. Between half and all
 * of it is kept: those who failed together do not come back together. What the server asked for is never shortened.
 */
export function pauseAfter(
  failures: number,
  retryAfterMs: number | undefined,
  pace: Pick<ReflectorPace, 'firstPauseMs' | 'longestPauseMs'>,
  random: () => number,
): number {
  const full = Math.min(pace.longestPauseMs, pace.firstPauseMs * 2 ** Math.min(failures - 1, 30));
  const pause = full * (0.5 + random() / 2);
  return retryAfterMs === undefined ? pause : Math.max(pause, retryAfterMs + pace.firstPauseMs * random());
}
