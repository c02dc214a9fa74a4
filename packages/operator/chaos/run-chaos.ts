import type { ChaosOptions } from './chaos-options.ts';
import { isJudged, type ChaosReport, type ChaosRound } from './chaos-report.ts';
import { runRound } from './run-round.ts';
import { startWorld } from './start-world.ts';

/** A run in which no round was judged goes on for this many rounds, however short it was to be. */
const mostUnjudged = 3;

/**
 * Runs rounds of faults and changes until the time is over and one of them was judged, or a round broke a rule.
 * `onRound` is given each.
 */
export async function runChaos(
  options: ChaosOptions,
  onRound: (round: ChaosRound) => void = () => undefined,
): Promise<ChaosReport> {
  await using started = await startWorld(options);
  const rounds: ChaosRound[] = [];
  const end = Date.now() + options.runMs;
  do {
    const round = await runRound(rounds.length + 1, options, started.world, started.subjects);
    rounds.push(round);
    onRound(round);
    if (round.violations.length > 0 || round.unsettled.length > 0) break;
  } while (Date.now() < end || (rounds.length < mostUnjudged && !rounds.some(isJudged)));
  return { options, rounds };
}
