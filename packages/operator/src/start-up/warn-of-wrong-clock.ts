import type { Logger, ServerClock } from '@atoll/kube';

/** Clocks that nobody keeps right drift apart by seconds. */
const toleratedMs = 5_000;

/** Two API servers that do not have the same time answer in turn: a line for each answer would fill the log. */
const betweenLinesMs = 60_000;

/** Called after each answer: logs that the machine's clock is wrong, and that it is right again, at most once a minute. */
export function warnOfWrongClock(
  clock: Pick<ServerClock, 'aheadMs' | 'monotonic'>,
  logger: Logger,
): () => void {
  let isWrong = false;
  let loggedAt = -Infinity;
  return () => {
    const aheadMs = clock.aheadMs();
    if (Math.abs(aheadMs) > toleratedMs === isWrong) return;
    if (clock.monotonic() - loggedAt < betweenLinesMs) return;
    loggedAt = clock.monotonic();
    isWrong = !isWrong;
    if (isWrong)
      logger.warn(
        { aheadMs },
        "the clock of this machine is not the API server's, whose time is taken instead",
      );
    else logger.info({}, 'the clock of this machine is right again');
  };
}
