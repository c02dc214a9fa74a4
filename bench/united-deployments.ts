import { createClient, loadKubeconfig } from '@atoll/kube';
import { machine, verdictTable } from './rollout/verdict-table.ts';
import type { Verdict } from './rollout/verdict.ts';
import { WriteLog } from './rollout/write-log.ts';
import { positive, UsageError, type Scenario } from './scenario.ts';
import { prepare, startPlane } from './united-deployments/cluster.ts';
import { measure } from './united-deployments/measure.ts';
import type { Measurement } from './united-deployments/measurement.ts';
import { zones } from './united-deployments/objects.ts';
import { verdictsOf } from './united-deployments/verdicts.ts';

interface Options {
  readonly objects: number;
  readonly nodes: number;
  readonly runs: number;
  readonly rest: number;
  readonly json: boolean;
  readonly profile: string | undefined;
}

const defaults: Options = { objects: 200, nodes: 60, runs: 2, rest: 120, json: false, profile: undefined };

export const unitedDeploymentsScenario: Scenario = {
  name: 'united-deployments',
  summary: 'many UnitedDeployments: the operator against a bare loop that writes the same objects',
  options: [
    [
      '--objects N',
      `UnitedDeployments of ${zones.length} subsets with one replica each (${defaults.objects})`,
    ],
    ['--nodes N', `nodes, dealt to ${zones.length} zones (${defaults.nodes})`],
    ['--runs N', `runs of floor and operator, taking turns; medians count (${defaults.runs})`],
    ['--rest N', `seconds of nothing, to see that nothing is done (${defaults.rest})`],
    ['--json', 'everything that was measured, as JSON on stdout'],
    ['--profile DIRECTORY', "write the operator's processor profiles there"],
  ],
  async run(args) {
    const options = parse(args);
    await using plane = await startPlane(tell);
    const access = await loadKubeconfig({ path: plane.kubeconfig });
    const client = createClient(access, { userAgent: 'bench' });
    const writes = new WriteLog(plane.auditLog ?? '');
    try {
      await prepare(plane, client, options.nodes);
      const { objects, nodes, runs, rest: restSeconds, profile } = options;
      const bench = { plane, client, writes, objects, nodes, runs, restSeconds, profile, tell };
      const measured = await measure(bench);
      const verdicts = verdictsOf(measured);
      process.stdout.write(options.json ? json(measured, verdicts) : table(measured, verdicts));
      const missed = verdicts.filter(({ met }) => !met);
      if (missed.length > 0) throw new Error(`${missed.length} of ${verdicts.length} targets are missed`);
    } finally {
      await writes.close();
      await client.close();
    }
  },
};

function table({ objects, nodes, rounds }: Measurement, verdicts: readonly Verdict[]): string {
  const what = `${objects} UnitedDeployments × ${zones.length} subsets, ${nodes} nodes; median of ${rounds.length}.`;
  return verdictTable(what, verdicts);
}

function json(measured: Measurement, verdicts: readonly Verdict[]): string {
  return `${JSON.stringify({ machine: machine(), ...measured, verdicts }, undefined, 2)}\n`;
}

function parse(args: readonly string[]): Options {
  let options = defaults;
  for (let at = 0; at < args.length; at++) {
    const name = args[at] ?? '';
    if (name === '--json') {
      options = { ...options, json: true };
      continue;
    }
    const value = args[(at += 1)];
    if (name === '--profile' && value !== undefined) options = { ...options, profile: value };
    else if (name === '--objects') options = { ...options, objects: positive(name, value) };
    else if (name === '--nodes') options = { ...options, nodes: positive(name, value) };
    else if (name === '--runs') options = { ...options, runs: positive(name, value) };
    else if (name === '--rest') options = { ...options, rest: positive(name, value) };
    else throw new UsageError(`unknown option ${JSON.stringify(name)}`);
  }
  return options;
}

function tell(message: string): void {
  process.stderr.write(`${message}\n`);
}
