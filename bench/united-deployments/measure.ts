import { unitedDeployments } from '@atoll/api';
import { inParallel } from '@atoll/kube';
import { atRest } from '../rollout/at-rest.ts';
import { patienceMs, quietMs, type Bench } from '../rollout/bench.ts';
import { inNamespace } from '../rollout/in-namespace.ts';
import { inSeconds } from '../rollout/in-seconds.ts';
import type { Reaction } from '../rollout/measurement.ts';
import { OperatorProcess } from '../rollout/operator-process.ts';
import { operatorWork } from '../rollout/operator-work.ts';
import { images } from '../rollout/pod-spec.ts';
import { reactionTo } from '../rollout/reaction.ts';
import { requestsInFlight } from '../rollout/requests-in-flight.ts';
import type { RolloutWatch } from '../rollout/rollout-watch.ts';
import type { Subject } from '../rollout/subject.ts';
import { takeTurns } from '../rollout/take-turns.ts';
import { progress } from '../progress.ts';
import type { Measurement, Scaled } from './measurement.ts';
import { keysIn, scale, zones, type Key } from './objects.ts';
import { manyObjects } from './subject.ts';
import type { Written } from './written.ts';

/** How often one object is scaled in quiet. */
const turns = 5;
/** Two of five subsets get one more. */
const scaledTo = { replicas: zones.length + 2, changedSubsets: 2 } as const;

interface Sizes {
  readonly objects: number;
  readonly nodes: number;
}

/** Everything on one control plane. */
export async function measure(bench: Bench, { objects, nodes }: Sizes): Promise<Measurement> {
  progress(`${nodes} nodes in ${zones.length} zones are made`);
  await bench.controlPlane.addNodes({ nodes, zones });
  await bench.controlPlane.nodesReady(300_000);
  const subject = manyObjects(bench.client, objects);
  const rounds = await takeTurns(bench, subject, async (operator, namespace, watch) =>
    scaleAll(bench, subject, operator, keysIn(namespace, objects), watch),
  );
  return { objects, nodes, rounds, ...(await steady(bench, subject, objects)) };
}

async function scaleAll(
  bench: Bench,
  subject: Subject<Written>,
  operator: OperatorProcess,
  keys: readonly Key[],
  watch: RolloutWatch,
): Promise<Scaled> {
  const work = await operatorWork(bench, subject, operator, async () => {
    const startedAt = performance.now();
    await inParallel(keys, requestsInFlight, async (key) => scale(bench.client, key, scaledTo.replicas));
    await watch.pods(keys.length * scaledTo.replicas, images.second, patienceMs);
    return { readyMs: performance.now() - startedAt };
  });
  progress(`all scaled, all pods Ready after ${inSeconds(work.readyMs)}`);
  return { scale: { ...work, changedSubsets: keys.length * scaledTo.changedSubsets } };
}

/** What happens when everything is there: one object is scaled, and nothing at all. */
async function steady(
  bench: Bench,
  subject: Subject<unknown>,
  objects: number,
): Promise<Pick<Measurement, 'reactions' | 'rest'>> {
  const { controlPlane, writes, profile } = bench;
  return inNamespace(bench, subject, 'steady', async (namespace, watch) => {
    const operator = await OperatorProcess.start(controlPlane, profile);
    await subject.create(namespace);
    await watch.pods(subject.children, images.first, patienceMs);
    await writes.silence(quietMs, patienceMs);

    const reactions: Reaction[] = [];
    for (const key of keysIn(namespace, objects).slice(0, turns)) reactions.push(await scaleOne(bench, key));

    const rest = await atRest(bench, operator);
    await operator.stop();
    return { reactions, rest };
  });
}

/** One more in each subset. */
async function scaleOne(bench: Bench, key: Key): Promise<Reaction> {
  const reaction = await reactionTo(bench, unitedDeployments, async () =>
    scale(bench.client, key, 2 * zones.length),
  );
  progress(`one is scaled: ${reaction.childWrites} children written after ${reaction.afterMs} ms`);
  return reaction;
}
