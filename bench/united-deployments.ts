import { count, readOptions } from './options.ts';
import { rolloutOptions, runRollouts } from './rollout/run-rollouts.ts';
import type { Scenario } from './scenario.ts';
import { measure } from './united-deployments/measure.ts';
import { zones } from './united-deployments/objects.ts';
import { verdictsOf } from './united-deployments/verdicts.ts';

const options = {
  objects: count(`UnitedDeployments of ${zones.length} subsets with one replica each`, 200),
  nodes: count(`nodes, dealt to ${zones.length} zones`, 60),
  ...rolloutOptions,
};

export const unitedDeployments: Scenario = {
  name: 'united-deployments',
  summary: 'many UnitedDeployments: the operator against a bare loop that writes the same objects',
  options,
  async run(args) {
    const given = readOptions(options, args);
    const what = `${given.objects} UnitedDeployments × ${zones.length} subsets, ${given.nodes} nodes`;
    await runRollouts(what, given, { measure: async (bench) => measure(bench, given), verdictsOf });
  },
};
