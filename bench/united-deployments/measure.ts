import { setTimeout as delay } from 'node:timers/promises';
import { unitedDeployments } from '@atoll/api';
import type { StreamingClient } from '@atoll/kube';
import type { AuditEntry, ControlPlane } from '@atoll/testbed';
import { OperatorProcess } from '../rollout/operator-process.ts';
import { RolloutWatch } from '../rollout/rollout-watch.ts';
import type { WriteLog } from '../rollout/write-log.ts';
import { Floor } from './floor.ts';
import type {
  FloorRound,
  Measurement,
  OperatorRollout,
  OperatorRound,
  Reaction,
  Rest,
  Rollout,
  RoundsBeside,
  Scaling,
} from './measurement.ts';
import {
  changeImage,
  create,
  createNamespace,
  deleteAll,
  forEach,
  images,
  nameOf,
  scale,
  zones,
} from './objects.ts';
import { countWrites } from './written.ts';

/** How long the operator must have written nothing to be taken for at rest. */
const quietMs = 3_000;
const patienceMs = 600_000;
/** How often one object is scaled in quiet. */
const turns = 5;
/** Two of five subsets get one more. */
const scaledTo = { replicas: zones.length + 2, changedSubsets: 2 } as const;

export interface Bench {
  readonly plane: ControlPlane;
  readonly client: StreamingClient;
  readonly writes: WriteLog;
  readonly objects: number;
  readonly nodes: number;
  readonly runs: number;
  readonly restSeconds: number;
  readonly profile: string | undefined;
  readonly tell: (message: string) => void;
}

/**
 * Everything on one plane. Floor and operator take turns with namespaces of their own, each empty before the next
 * begins; which of them comes first changes from run to run. While the bare loop writes, no operator runs.
 */
export async function measure(bench: Bench): Promise<Measurement> {
  const rounds: RoundsBeside[] = [];
  for (let run = 1; run <= bench.runs; run++) {
    const before = run % 2 === 1 ? await floorRound(bench, run) : undefined;
    const operator = await operatorRound(bench, run);
    rounds.push({ floor: before ?? (await floorRound(bench, run)), operator });
  }
  const { objects, nodes } = bench;
  return { objects, nodes, rounds, ...(await steady(bench)) };
}

async function floorRound(bench: Bench, run: number): Promise<FloorRound> {
  const { client, tell } = bench;
  return inNamespace(bench, `floor-${run}`, async (namespace, watch) => {
    const floor = new Floor(client, namespace, bench.objects);
    const first = await timed(bench, watch, images.first, async () => floor.create());
    tell(`run ${run} floor: ${inWords('first rollout', first)}`);
    await delay(quietMs);
    const second = await timed(bench, watch, images.second, async () => floor.update());
    tell(`run ${run} floor: ${inWords('new image', second)}`);
    return { first, second };
  });
}

async function operatorRound(bench: Bench, run: number): Promise<OperatorRound> {
  const { client, tell, objects } = bench;
  return inNamespace(bench, `atoll-${run}`, async (namespace, watch) => {
    const operator = await OperatorProcess.start(bench.plane, bench.profile);
    await bench.writes.silence(quietMs, patienceMs);
    const first = await rollout(bench, operator, watch, images.first, async () =>
      forEach(namespace, objects, async (_key, index) => create(client, namespace, index)),
    );
    tell(`run ${run} operator: ${inWords('first rollout', first)}`);
    const second = await rollout(bench, operator, watch, images.second, async () =>
      forEach(namespace, objects, async (key) => changeImage(client, key)),
    );
    tell(`run ${run} operator: ${inWords('new image', second)}`);
    const { syncedAfterMs, peakRss } = operator;
    const scaling = await scaleAll(bench, operator, namespace, watch);
    tell(`run ${run} operator: all scaled, all pods Ready after ${inSeconds(scaling.readyMs)}`);
    await operator.stop();
    return { syncedAfterMs, first, second, peakRss, scale: scaling };
  });
}

async function rollout(
  bench: Bench,
  operator: OperatorProcess,
  watch: RolloutWatch,
  image: string,
  start: () => Promise<void>,
): Promise<OperatorRollout> {
  const { writes } = bench;
  const [mark, cpuBefore] = [await writes.now(), operator.cpuMs];
  const times = await timed(bench, watch, image, start);
  await writes.silence(quietMs, patienceMs);
  return { ...times, cpuMs: operator.cpuMs - cpuBefore, written: countWrites(await writes.since(mark)) };
}

/** The clock starts before the first request. */
async function timed(
  { objects }: Bench,
  watch: RolloutWatch,
  image: string,
  start: () => Promise<void>,
): Promise<Rollout> {
  const count = objects * zones.length;
  const startedAt = performance.now();
  const written = watch.children(count, image, patienceMs).then(() => performance.now() - startedAt);
  const ready = watch.pods(count, image, patienceMs).then(() => performance.now() - startedAt);
  const [writtenMs, readyMs] = await Promise.all([written, ready, start()]);
  return { writtenMs, readyMs };
}

async function scaleAll(
  { client, objects, writes }: Bench,
  operator: OperatorProcess,
  namespace: string,
  watch: RolloutWatch,
): Promise<Scaling> {
  const [mark, cpuBefore, startedAt] = [await writes.now(), operator.cpuMs, performance.now()];
  await forEach(namespace, objects, async (key) => scale(client, key, scaledTo.replicas));
  await watch.pods(objects * scaledTo.replicas, images.second, patienceMs);
  const readyMs = performance.now() - startedAt;
  await writes.silence(quietMs, patienceMs);
  const written = countWrites(await writes.since(mark));
  const changedSubsets = objects * scaledTo.changedSubsets;
  return { readyMs, cpuMs: operator.cpuMs - cpuBefore, changedSubsets, written };
}

/** What happens when everything is there: one object is scaled, and nothing at all. */
async function steady(bench: Bench): Promise<Pick<Measurement, 'reactions' | 'rest'>> {
  const { client, plane, objects, writes, tell, restSeconds } = bench;
  return inNamespace(bench, 'steady', async (namespace, watch) => {
    const operator = await OperatorProcess.start(plane, bench.profile);
    await forEach(namespace, objects, async (_key, index) => create(client, namespace, index));
    await watch.pods(objects * zones.length, images.first, patienceMs);
    await writes.silence(quietMs, patienceMs);
    const reactions: Reaction[] = [];
    for (let turn = 0; turn < turns; turn++) reactions.push(await scaleOne(bench, namespace, turn));
    tell(`nothing happens for ${restSeconds} s`);
    const rest = await atRest(bench, operator);
    tell(`at rest: ${rest.writes} writes, ${(rest.cpuShare * 100).toFixed(2)} % of a core`);
    await operator.stop();
    return { reactions, rest };
  });
}

/** One more in each subset. */
async function scaleOne({ client, writes, tell }: Bench, namespace: string, turn: number): Promise<Reaction> {
  const mark = await writes.now();
  await scale(client, { namespace, name: nameOf(turn) }, 2 * zones.length);
  await writes.silence(quietMs, patienceMs);
  const asked = (await writes.all(mark)).find(isScale);
  const children = (await writes.since(mark)).filter(({ resource }) => resource === 'deployments.apps');
  const last = Math.max(...children.map(({ receivedAt }) => receivedAt));
  const afterMs = last - (asked?.at ?? Number.NaN);
  tell(`one is scaled: ${children.length} children written after ${afterMs} ms`);
  return { childWrites: children.length, afterMs };
}

function isScale({ resource, subresource }: AuditEntry): boolean {
  return resource.startsWith(`${unitedDeployments.plural}.`) && subresource === 'scale';
}

async function atRest({ writes, restSeconds }: Bench, operator: OperatorProcess): Promise<Rest> {
  const [mark, cpuBefore, startedAt] = [await writes.now(), operator.cpuMs, performance.now()];
  await delay(restSeconds * 1000);
  const cpuShare = (operator.cpuMs - cpuBefore) / (performance.now() - startedAt);
  return { seconds: restSeconds, writes: (await writes.since(mark)).length, cpuShare };
}

async function inNamespace<T>(
  { client, objects }: Bench,
  namespace: string,
  work: (namespace: string, watch: RolloutWatch) => Promise<T>,
): Promise<T> {
  const ended = new AbortController();
  const watch = new RolloutWatch();
  await createNamespace(client, namespace);
  await watch.start(client, namespace, ended.signal);
  try {
    const result = await work(namespace, watch);
    await deleteAll(client, namespace, objects);
    await watch.nothing(patienceMs);
    return result;
  } finally {
    ended.abort();
  }
}

function inWords(what: string, { writtenMs, readyMs }: Rollout): string {
  return `${what}: children after ${inSeconds(writtenMs)}, all pods Ready after ${inSeconds(readyMs)}`;
}

function inSeconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
