// A short cut of `npm run chaos`: two operators, all kinds, and each of the faults once or twice. `ATOLL_SEED=n` repeats the choices of a run.
import { expect, it } from 'vitest';
import { describeRound, summarize } from '../../chaos/describe-run.ts';
import { defaultChaos } from '../../chaos/chaos-options.ts';
import { isJudged } from '../../chaos/chaos-report.ts';
import { runChaos } from '../../chaos/run-chaos.ts';
import { seedOf } from '../set-up/random.ts';

it(
  'nothing is doubled, lost or stopped that should not be while everything fails in turn',
  { timeout: 600_000 },
  async () => {
    const report = await runChaos(
      {
        ...defaultChaos,
        nodes: 12,
        pools: 3,
        objects: 1,
        nodesOfDaemons: 8,
        agents: 0,
        roundMs: 30_000,
        runMs: 0,
        // What follows from it on a machine that is busy with other things, not what users see.
        settleMs: 240_000,
        // Those that take half a minute each are for the long run.
        faults: [
          'kill',
          'kill-all',
          '429-storm',
          'lost-answers',
          'watches-end',
          'api-server',
          'nodes-away',
          'clock',
        ],
        seed: seedOf(process.env['ATOLL_SEED']),
      },
      (round) => console.log(describeRound(round)),
    );
    const wrong = report.rounds.flatMap(({ violations, unsettled }) => [...violations, ...unsettled]);
    expect(wrong, summarize(report)).toEqual([]);
    expect(report.rounds.filter(isJudged).length, summarize(report)).toBeGreaterThan(0);
    expect(report.rounds.flatMap(({ faults }) => Object.keys(faults)).length).toBeGreaterThan(0);
  },
);
