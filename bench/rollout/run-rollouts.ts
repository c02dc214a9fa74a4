import { install } from '@atoll/operator/install';
import { createClient, loadKubeconfig } from '@atoll/kube';
import { startControlPlane } from '@atoll/testbed';
import { count, directory, flag, type Given } from '../options.ts';
import { progress } from '../progress.ts';
import type { Bench } from './bench.ts';
import type { BaselineRound, Run } from './measurement.ts';
import { PaceMeter } from '../pace/pace.ts';
import { asJson, asText } from '../verdicts/report.ts';
import type { Verdict } from '../verdicts/verdict.ts';
import { auditPolicy, WriteLog } from './write-log.ts';

/** Besides its own sizes, what a scenario of rollouts is asked for. */
export const rolloutOptions = {
  runs: count('runs of baseline and operator, taking turns; medians count', 2),
  rest: count('seconds of nothing, to see that nothing is done', 120),
  json: flag('everything that was measured, as JSON on stdout'),
  profile: directory("write the operator's processor profiles there"),
};

interface Rollouts<Measured> {
  readonly measure: (bench: Bench) => Promise<Measured>;
  readonly verdictsOf: (measured: Measured) => readonly Verdict[];
}

/**
 * Measures on a control plane of its own, with the kinds installed and kubelets' leases of 200 s, so that heartbeats are no load
 * of their own. Prints everything, then throws where a target is missed.
 */
export async function runRollouts<Measured extends { readonly rounds: readonly Run<BaselineRound>[] }>(
  what: string,
  { runs, rest: restSeconds, json, profile }: Given<typeof rolloutOptions>,
  { measure, verdictsOf }: Rollouts<Measured>,
): Promise<void> {
  await using pace = await PaceMeter.start();
  await using controlPlane = await startControlPlane({
    nodeLeaseSeconds: 200,
    audit: auditPolicy,
    onProgress: progress,
  });
  const access = await loadKubeconfig({ path: controlPlane.kubeconfig });
  const client = createClient(access, { userAgent: 'bench' });
  const writes = new WriteLog(controlPlane.auditLog ?? '');
  try {
    await install(client, {});
    const measured = await measure({ controlPlane, client, writes, pace, runs, restSeconds, profile });
    const verdicts = verdictsOf(measured);
    process.stdout.write(json ? asJson(measured, verdicts) : asText(what, measured.rounds, verdicts));
    const missed = verdicts.filter(({ met }) => !met);
    if (missed.length > 0) throw new Error(`${missed.length} of ${verdicts.length} targets are missed`);
  } finally {
    await writes.close();
    await client.close();
  }
}
