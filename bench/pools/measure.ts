import { setTimeout as delay } from 'node:timers/promises';
import { nodePools, type NodePool } from '@atoll/api';
import type { StreamingClient } from '@atoll/kube';
import type { ControlPlane } from '@atoll/testbed';
import { joinNodes, pool } from './cluster.ts';
import { childrenOf, Floor, readWorkload } from './floor.ts';
import type {
  FloorRound,
  Joining,
  Measurement,
  OperatorRollout,
  OperatorRound,
  PoolChange,
  Rest,
  Rollout,
} from './measurement.ts';
import type { WriteLog } from '../rollout/write-log.ts';
import { OperatorProcess } from '../rollout/operator-process.ts';
import { RolloutWatch } from '../rollout/rollout-watch.ts';
import {
  changeImage,
  createNamespace,
  createWorkload,
  deleteWorkload,
  images,
  name,
  poolsLabel,
} from './workload.ts';
import { countWrites, mostPerPoolAndSecond } from './written.ts';

/** How long the operator must have written nothing to be taken for at rest. */
const quietMs = 3_000;
/**
 * And for how long before nothing at all is expected of it: the status of a thousand pools is written at most every
 * 15 s while it moves, so what the last change meant for it may come that much later.
 */
const settledMs = 20_000;
const patienceMs = 600_000;
/** How often one pool joins and leaves. */
const poolTurns = 5;

export interface Bench {
  readonly plane: ControlPlane;
  readonly client: StreamingClient;
  readonly writes: WriteLog;
  readonly pools: readonly NodePool[];
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
  const joining = await join(bench);
  const rounds: { floor: FloorRound; operator: OperatorRound }[] = [];
  for (let run = 1; run <= bench.runs; run++) {
    const floorFirst = run % 2 === 1;
    const before = floorFirst ? await floorRound(bench, run) : undefined;
    const operator = await operatorRound(bench, run);
    rounds.push({ floor: before ?? (await floorRound(bench, run)), operator });
  }
  return { pools: bench.pools.length, rounds, joining, ...(await steady(bench)) };
}

/** The nodes join while the operator runs. */
async function join(bench: Bench): Promise<Joining> {
  const { writes, client, pools, tell } = bench;
  const operator = await OperatorProcess.start(bench.plane, undefined);
  await writes.silence(quietMs, patienceMs);
  const mark = await writes.now();
  tell(`${pools.length} nodes join their pools`);
  await joinNodes(client, pools);
  await writes.silence(quietMs * 2, patienceMs);
  const entries = await writes.since(mark);
  await operator.stop();
  return {
    nodes: pools.length,
    nodeWrites: countWrites(entries).nodePatches,
    mostStatusWritesPerPoolAndSecond: mostPerPoolAndSecond(entries),
  };
}

async function floorRound(bench: Bench, run: number): Promise<FloorRound> {
  const { client, tell, pools } = bench;
  return inNamespace(bench, `floor-${run}`, async (namespace, watch) => {
    const floor = new Floor(client);
    const owner = await createWorkload(client, namespace);
    const children = childrenOf(owner, pools);
    const first = await timed(watch, pools.length, images.first, async () => floor.create(children));
    tell(`run ${run} floor: ${inWords('first rollout', first)}`);
    await delay(quietMs);
    await changeImage(client, namespace);
    const changed = childrenOf(await readWorkload(client, namespace, name), pools);
    const second = await timed(watch, pools.length, images.second, async () => floor.apply(changed));
    tell(`run ${run} floor: ${inWords('new image', second)}`);
    return { first, second };
  });
}

async function operatorRound(bench: Bench, run: number): Promise<OperatorRound> {
  const { client, tell } = bench;
  return inNamespace(bench, `atoll-${run}`, async (namespace, watch) => {
    const operator = await OperatorProcess.start(bench.plane, bench.profile);
    await bench.writes.silence(quietMs, patienceMs);
    const first = await rollout(bench, operator, watch, images.first, async () =>
      createWorkload(client, namespace),
    );
    tell(`run ${run} operator: ${inWords('first rollout', first)}`);
    const second = await rollout(bench, operator, watch, images.second, async () =>
      changeImage(client, namespace),
    );
    tell(`run ${run} operator: ${inWords('new image', second)}`);
    const { syncedAfterMs, peakRss } = operator;
    await operator.stop();
    return { syncedAfterMs, first, second, peakRss };
  });
}

async function rollout(
  { writes, pools }: Bench,
  operator: OperatorProcess,
  watch: RolloutWatch,
  image: string,
  start: () => Promise<unknown>,
): Promise<OperatorRollout> {
  const [mark, cpuBefore] = [await writes.now(), operator.cpuMs];
  const times = await timed(watch, pools.length, image, start);
  await writes.silence(quietMs, patienceMs);
  return { ...times, cpuMs: operator.cpuMs - cpuBefore, written: countWrites(await writes.since(mark)) };
}

/** The clock starts before the first request. */
async function timed(
  watch: RolloutWatch,
  count: number,
  image: string,
  start: () => Promise<unknown>,
): Promise<Rollout> {
  const startedAt = performance.now();
  const written = watch.children(count, image, patienceMs).then(() => performance.now() - startedAt);
  const ready = watch.pods(count, image, patienceMs).then(() => performance.now() - startedAt);
  const [writtenMs, readyMs] = await Promise.all([written, ready, start()]);
  return { writtenMs, readyMs };
}

/** What happens when everything is there: the start, one pool more and less, and nothing at all. */
async function steady(
  bench: Bench,
): Promise<Pick<Measurement, 'syncedAfterMs' | 'poolJoins' | 'poolLeaves' | 'rest'>> {
  const { client, plane, pools, writes, tell } = bench;
  return inNamespace(bench, 'steady', async (namespace, watch) => {
    const first = await OperatorProcess.start(plane, undefined);
    await createWorkload(client, namespace);
    await watch.pods(pools.length, images.first, patienceMs);
    await writes.silence(quietMs, patienceMs);
    await first.stop();
    const operator = await OperatorProcess.start(plane, bench.profile);
    const { syncedAfterMs } = operator;
    tell(`with everything there, its caches are synced ${inSeconds(syncedAfterMs)} after its start`);
    await writes.silence(quietMs, patienceMs);

    const changes: { readonly joins: PoolChange; readonly leaves: PoolChange }[] = [];
    for (let turn = 0; turn < poolTurns; turn++)
      changes.push(await oneMoreAndLess(bench, pools.length + turn));
    const poolJoins = changes.map(({ joins }) => joins);
    const poolLeaves = changes.map(({ leaves }) => leaves);

    await writes.silence(settledMs, patienceMs);
    tell(`nothing happens for ${bench.restSeconds} s`);
    const rest = await atRest(bench, operator);
    await operator.stop();
    return { syncedAfterMs, poolJoins, poolLeaves, rest };
  });
}

/** A pool is made, loses the label that selects it, and goes. */
async function oneMoreAndLess(
  bench: Bench,
  index: number,
): Promise<{ readonly joins: PoolChange; readonly leaves: PoolChange }> {
  const { client, writes, tell } = bench;
  const extra = pool(index);
  const key = { name: extra.metadata.name };
  const joins = await poolChange(bench, async () => client.create(nodePools, extra));
  const body = { metadata: { labels: { [poolsLabel]: null } } };
  const leaves = await poolChange(bench, async () => client.patch(nodePools, key, { type: 'merge', body }));
  tell(`one pool joins: child written after ${joins.afterMs} ms; leaves: ${leaves.afterMs} ms`);
  await client.delete(nodePools, key);
  await writes.silence(quietMs, patienceMs);
  return { joins, leaves };
}

async function poolChange({ writes }: Bench, change: () => Promise<unknown>): Promise<PoolChange> {
  const mark = await writes.now();
  await change();
  await writes.silence(quietMs, patienceMs);
  const isChange = ({
    resource,
    userAgent,
  }: {
    readonly resource: string;
    readonly userAgent: string;
  }): boolean => resource.startsWith('nodepools.') && !userAgent.startsWith('atoll-operator/');
  const changed = (await writes.all(mark)).find(isChange);
  const children = (await writes.since(mark)).filter(({ resource }) => resource === 'deployments.apps');
  const afterMs = (children[0]?.receivedAt ?? Number.NaN) - (changed?.at ?? Number.NaN);
  return { childWrites: children.length, afterMs };
}

async function atRest({ writes, restSeconds, tell }: Bench, operator: OperatorProcess): Promise<Rest> {
  const [mark, cpuBefore, startedAt] = [await writes.now(), operator.cpuMs, performance.now()];
  await delay(restSeconds * 1000);
  const cpuShare = (operator.cpuMs - cpuBefore) / (performance.now() - startedAt);
  const written = await writes.since(mark);
  for (const { verb, resource, subresource = '', name = '', receivedAt } of written)
    tell(
      `written at rest, at ${new Date(receivedAt).toISOString()}: ${verb} ${resource} ${subresource} ${name}`,
    );
  return { seconds: restSeconds, writes: written.length, cpuShare };
}

async function inNamespace<T>(
  { client }: Bench,
  namespace: string,
  work: (namespace: string, watch: RolloutWatch) => Promise<T>,
): Promise<T> {
  const ended = new AbortController();
  const watch = new RolloutWatch();
  await createNamespace(client, namespace);
  await watch.start(client, namespace, ended.signal);
  try {
    const result = await work(namespace, watch);
    await deleteWorkload(client, namespace);
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
