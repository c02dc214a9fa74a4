import { cpuMsOf } from '@atoll/testbed';
import { setTimeout as delay } from 'node:timers/promises';
import { progress } from '../progress.ts';
import { patienceMs, quietMs, type Bench } from './bench.ts';
import { inNamespace } from './in-namespace.ts';
import { inSeconds } from './in-seconds.ts';
import type { BaselineRound, OperatorRound, Rollout, Run, Work } from './measurement.ts';
import { OperatorProcess } from './operator-process.ts';
import { operatorWork } from './operator-work.ts';
import { images } from './pod-spec.ts';
import type { RolloutWatch } from './rollout-watch.ts';
import type { Subject } from './subject.ts';

/** What else is measured of an operator that has just done both rollouts. */
type More<Result> = (operator: OperatorProcess, namespace: string, watch: RolloutWatch) => Promise<Result>;

/**
 * Baseline and operator take turns with namespaces of their own, each empty before the next begins; which of them comes
 * first changes from run to run. While the bare loop writes, no operator runs.
 */
export async function takeTurns<Written, Result>(
  bench: Bench,
  subject: Subject<Written>,
  more: More<Result>,
): Promise<readonly Run<OperatorRound<Written> & Result>[]> {
  const rounds: Run<OperatorRound<Written> & Result>[] = [];
  for (let run = 1; run <= bench.runs; run++) {
    const baselineFirst = run % 2 === 1 ? await baselineRound(bench, subject, run) : undefined;
    const operator = await operatorRound(bench, subject, run, more);
    rounds.push({ baseline: baselineFirst ?? (await baselineRound(bench, subject, run)), operator });
  }
  return rounds;
}

async function baselineRound(bench: Bench, subject: Subject<unknown>, run: number): Promise<BaselineRound> {
  return inNamespace(bench, subject, `baseline-${run}`, async (namespace, watch) => {
    const baseline = subject.baseline(namespace);
    const first = await timed(bench, watch, subject.children, images.first, await baseline.first());
    progress(`run ${run} baseline: ${inWords('first rollout', first)}`);
    await delay(quietMs);
    const second = await timed(bench, watch, subject.children, images.second, await baseline.second());
    progress(`run ${run} baseline: ${inWords('new image', second)}`);
    return { first, second };
  });
}

async function operatorRound<Written, Result>(
  bench: Bench,
  subject: Subject<Written>,
  run: number,
  more: More<Result>,
): Promise<OperatorRound<Written> & Result> {
  return inNamespace(bench, subject, `atoll-${run}`, async (namespace, watch) => {
    const operator = await OperatorProcess.start(bench.controlPlane, bench.profile);
    await bench.writes.silence(quietMs, patienceMs);
    const rollout = async (image: string, start: () => Promise<unknown>): Promise<Rollout & Work<Written>> =>
      operatorWork(bench, subject, operator, async () => timed(bench, watch, subject.children, image, start));
    const first = await rollout(images.first, async () => subject.create(namespace));
    progress(`run ${run} operator: ${inWords('first rollout', first)}`);
    const second = await rollout(images.second, async () => subject.changeImage(namespace));
    progress(`run ${run} operator: ${inWords('new image', second)}`);
    const { syncedAfterMs, peakRss } = operator;
    const result = await more(operator, namespace, watch);
    await operator.stop();
    return { syncedAfterMs, first, second, peakRss, ...result };
  });
}

/** The clock starts before the first request. */
async function timed(
  { controlPlane }: Bench,
  watch: RolloutWatch,
  count: number,
  image: string,
  start: () => Promise<unknown>,
): Promise<Rollout> {
  const [startedAt, before] = [performance.now(), processorOf(controlPlane)];
  const elapsed = (): number => performance.now() - startedAt;
  const [childrenMs, podsMs] = await Promise.all([
    watch.children(count, image, patienceMs).then(elapsed),
    watch.pods(count, image, patienceMs).then(elapsed),
    start(),
  ]);
  const after = processorOf(controlPlane);
  const processorMs = Object.fromEntries(parties.map((name) => [name, after[name] - before[name]]));
  const bystandersMs = bystanders.reduce((sum, name) => sum + (processorMs[name] ?? 0), 0);
  return { childrenMs, podsMs, bystandersMs, processorMs };
}

/** They do the same for the same children and pods, no matter who writes the children. */
const bystanders = ['kube-controller-manager', 'kube-scheduler', 'kwok'] as const;

const parties = ['kube-apiserver', 'etcd', ...bystanders] as const;

/** Milliseconds so far. */
function processorOf(
  controlPlane: Bench['controlPlane'],
): Readonly<Record<(typeof parties)[number], number>> {
  const of = (name: string): number => cpuMsOf(controlPlane.component(name).pid ?? 0);
  return Object.fromEntries(parties.map((name) => [name, of(name)])) as ReturnType<typeof processorOf>;
}

function inWords(what: string, { childrenMs, podsMs, processorMs }: Rollout): string {
  const times = `children after ${inSeconds(childrenMs)}, all pods Ready after ${inSeconds(podsMs)}`;
  const processor = Object.entries(processorMs).map(([name, ms]) => `${name} ${inSeconds(ms)}`);
  return `${what}: ${times}; processor time of ${processor.join(', ')}`;
}
