import { expect, it } from 'vitest';
import { defaultChaos } from './chaos-options.ts';
import type { ChaosRound, ProcessSize } from './chaos-report.ts';
import { describeRound, summarize } from './describe-run.ts';

function roundWith(round: number, ...processes: readonly ProcessSize[]): ChaosRound {
  return {
    round,
    faults: { kill: 1 },
    changes: 2,
    writes: 3,
    upgrades: 0,
    refusedUpgrades: 0,
    settledMs: 1000,
    restarted: [],
    violations: [],
    unjudged: undefined,
    unsettled: [],
    evidence: undefined,
    processes,
  };
}

const operator = { name: 'operator-1', megabytes: 150, files: 40 };

it('a round names the timers of each process, and the process that did not answer', () => {
  const line = describeRound(
    roundWith(
      1,
      { ...operator, timers: 21 },
      { name: 'operator-2', megabytes: 90, files: 30, timers: undefined },
    ),
  );
  expect(line).toContain(
    'operator-1 150 MB, 40 files, 21 timers; operator-2 90 MB, 30 files, timers not known',
  );
});

it('a leak of timers shows in the summary, beside what the last round left', () => {
  const rounds = [20, 520, 1020].map((timers, index) => roundWith(index + 1, { ...operator, timers }));
  const summary = summarize({ options: { ...defaultChaos, seed: 1 }, rounds });
  expect(summary).toContain('largest process: 150 MB, 40 files, 1020 timers');
  expect(summary).toContain(
    'in the first round: 150 MB, 40 files, 20 timers; in the last: 150 MB, 40 files, 1020 timers',
  );
});
