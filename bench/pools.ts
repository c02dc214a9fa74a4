import { count, readOptions } from './options.ts';
import { measure } from './pools/measure.ts';
import { verdictsOf } from './pools/verdicts.ts';
import { rolloutOptions, runRollouts } from './rollout/run-rollouts.ts';
import type { Scenario } from './scenario.ts';

const options = { pools: count('pools, each with one node', 1000), ...rolloutOptions };

export const pools: Scenario = {
  name: 'pools',
  summary: 'one workload in many pools: the operator against a bare loop that writes the same objects',
  options,
  async run(args) {
    const given = readOptions(options, args);
    const what = `${given.pools} pools, as many nodes, one YurtAppDaemon`;
    await runRollouts(what, given, { measure: async (bench) => measure(bench, given.pools), verdictsOf });
  },
};
