// `npm run chaos`: see docs/contributing/testing.md.
import { readChaosOptions } from './chaos-options.ts';
import { isJudged } from './chaos-report.ts';
import { describeRound, summarize } from './describe-run.ts';
import { chaosFaults } from './faults/chaos-faults.ts';

const options = readChaosOptions(
  process.argv.slice(2),
  chaosFaults.map(({ name }) => name),
);
console.log(
  `${options.nodes} nodes in ${options.pools} pools, ${options.objects} objects of each kind, seed ${options.seed}`,
);
// Not before: a wrong flag is answered at once.
const { runChaos } = await import('./run-chaos.ts');
const report = await runChaos(options, (round) => {
  console.log(describeRound(round));
});
console.log(summarize(report));
const broken = report.rounds.some(({ violations, unsettled }) => violations.length + unsettled.length > 0);
process.exitCode = broken || !report.rounds.some(isJudged) ? 1 : 0;
