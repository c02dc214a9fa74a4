import { createClient, loadKubeconfig } from '@atoll/kube';
import { prepare, startPlane } from './pools/cluster.ts';
import { measure } from './pools/measure.ts';
import type { Measurement } from './pools/measurement.ts';
import { verdictsOf } from './pools/verdicts.ts';
import { machine, verdictTable } from './rollout/verdict-table.ts';
import type { Verdict } from './rollout/verdict.ts';
import { WriteLog } from './rollout/write-log.ts';
import { positive, UsageError, type Scenario } from './scenario.ts';

interface Options {
  readonly pools: number;
  readonly runs: number;
  readonly rest: number;
  readonly json: boolean;
  readonly profile: string | undefined;
}

const defaults: Options = { pools: 1000, runs: 2, rest: 120, json: false, profile: undefined };

export const pools: Scenario = {
  name: 'pools',
  summary: 'one workload in many pools: the operator against a bare loop that writes the same objects',
  options: [
    ['--pools N', `pools, each with one node (${defaults.pools})`],
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
      tell(`${options.pools} pools and as many nodes are made`);
      const made = await prepare(plane, client, options.pools);
      const { runs, rest: restSeconds, profile } = options;
      const measured = await measure({
        plane,
        client,
        writes,
        pools: made,
        runs,
        restSeconds,
        profile,
        tell,
      });
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

function table({ pools: count, rounds }: Measurement, verdicts: readonly Verdict[]): string {
  const what = `${count} pools, as many nodes, one YurtAppDaemon; median of ${rounds.length}.`;
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
    else if (name === '--pools') options = { ...options, pools: positive(name, value) };
    else if (name === '--runs') options = { ...options, runs: positive(name, value) };
    else if (name === '--rest') options = { ...options, rest: positive(name, value) };
    else throw new UsageError(`unknown option ${JSON.stringify(name)}`);
  }
  return options;
}

function tell(message: string): void {
  process.stderr.write(`${message}\n`);
}
