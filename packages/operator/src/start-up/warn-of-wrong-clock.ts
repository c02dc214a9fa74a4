import type { Logger, ServerClock } from '@atoll/kube';

/** Clocks that nobody keeps right drift apart by seconds. */
const toleratedMs = 5_000;

/** Called after each answer: logs once that the machine's clock is wrong, and once that it is right again. */
export function warnOfWrongClock(clock: Pick<ServerClock, 'aheadMs'>, logger: Logger): () => void {
  let isWrong = false;
  return () => {
    const aheadMs = clock.aheadMs();
    if (Math.abs(aheadMs) > toleratedMs === isWrong) return;
    isWrong = !isWrong;
    if (isWrong)
      logger.warn(
        { aheadMs },
        "the clock of this machine is not the API server's, whose time is taken instead",
      );
    else logger.info({}, 'the clock of this machine is right again');
  };
}
