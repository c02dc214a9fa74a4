import { nodePools, type NodePool } from '@atoll/api';
import { atRest } from '../rollout/at-rest.ts';
import { patienceMs, quietMs, type Bench } from '../rollout/bench.ts';
import { inNamespace } from '../rollout/in-namespace.ts';
import { inSeconds } from '../rollout/in-seconds.ts';
import type { Reaction } from '../rollout/measurement.ts';
import { OperatorProcess } from '../rollout/operator-process.ts';
import { images } from '../rollout/pod-spec.ts';
import { reactionTo } from '../rollout/reaction.ts';
import type { Subject } from '../rollout/subject.ts';
import { takeTurns } from '../rollout/take-turns.ts';
import { progress } from '../progress.ts';
import { joinNodes, makePools, pool } from './cluster.ts';
import type { Joining, Measurement } from './measurement.ts';
import { workloadIn } from './subject.ts';
import { poolsLabel } from './workload.ts';
import { countWrites, mostPerPoolAndSecond } from './written.ts';

/** How often one pool joins and leaves. */
const turns = 5;

/** Everything on one control plane. */
export async function measure(bench: Bench, count: number): Promise<Measurement> {
  progress(`${count} pools and as many nodes are made`);
  const pools = await makePools(bench.controlPlane, bench.client, count);
  const joining = await join(bench, pools);
  const subject = workloadIn(bench.client, pools);
  const rounds = await takeTurns(bench, subject, async () => Promise.resolve({}));
  return { pools: count, rounds, joining, ...(await steady(bench, subject)) };
}

/** The nodes join while the operator runs. */
async function join({ controlPlane, client, writes }: Bench, pools: readonly NodePool[]): Promise<Joining> {
  const operator = await OperatorProcess.start(controlPlane, undefined);
  await writes.silence(quietMs, patienceMs);
  const mark = await writes.now();
  progress(`${pools.length} nodes join their pools`);
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

/** What happens when everything is there: the start, one pool more and less, and nothing at all. */
async function steady(
  bench: Bench,
  subject: Subject<unknown>,
): Promise<Pick<Measurement, 'syncedAfter' | 'poolJoins' | 'poolLeaves' | 'rest'>> {
  const { controlPlane, writes, pace, profile } = bench;
  return inNamespace(bench, subject, 'steady', async (namespace, watch) => {
    const first = await OperatorProcess.start(controlPlane, undefined);
    await subject.create(namespace);
    await watch.pods(subject.children, images.first, patienceMs);
    await writes.silence(quietMs, patienceMs);
    await first.stop();
    const spanOf = pace.begin();
    const operator = await OperatorProcess.start(controlPlane, profile);
    const syncedAfter = spanOf(operator.syncedAfterMs);
    progress(`with everything there, its caches are synced ${inSeconds(syncedAfter.ms)} after its start`);
    await writes.silence(quietMs, patienceMs);

    const changes: { readonly joins: Reaction; readonly leaves: Reaction }[] = [];
    for (let turn = 0; turn < turns; turn++)
      changes.push(await oneMoreAndLess(bench, subject.children + turn));
    const poolJoins = changes.map(({ joins }) => joins);
    const poolLeaves = changes.map(({ leaves }) => leaves);

    const rest = await atRest(bench, operator);
    await operator.stop();
    return { syncedAfter, poolJoins, poolLeaves, rest };
  });
}

/** A pool is made, loses the label that selects it, and goes. */
async function oneMoreAndLess(
  bench: Bench,
  index: number,
): Promise<{ readonly joins: Reaction; readonly leaves: Reaction }> {
  const { client, writes } = bench;
  const extra = pool(index);
  const key = { name: extra.metadata.name };
  const joins = await reactionTo(bench, nodePools, async () => client.create(nodePools, extra));
  const body = { metadata: { labels: { [poolsLabel]: null } } };
  const leaves = await reactionTo(bench, nodePools, async () =>
    client.patch(nodePools, key, { type: 'merge', body }),
  );
  progress(`one pool joins: child written after ${joins.afterMs} ms; leaves: ${leaves.afterMs} ms`);
  await client.delete(nodePools, key);
  await writes.silence(quietMs, patienceMs);
  return { joins, leaves };
}
