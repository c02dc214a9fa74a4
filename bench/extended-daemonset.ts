import { setTimeout as delay } from 'node:timers/promises';
import { extendedDaemonSets, type ExtendedDaemonSet } from '@atoll/api';
import { install } from '@atoll/operator/install';
import { createClient, daemonSets, inParallel, isReady, loadKubeconfig, nodes, pods } from '@atoll/kube';
import type { DaemonSet, Pod, StreamingClient } from '@atoll/kube';
import { AuditLog, startControlPlane, type AuditEntry, type ControlPlane } from '@atoll/testbed';
import { auditPolicy } from './daemon-sets/audit-policy.ts';
import { lengthOf, mostStatusWrites, ofPods, operatorWrites } from './daemon-sets/operator-writes.ts';
import { patienceMs, watchPods, type PodWatch } from './daemon-sets/pod-watch.ts';
import { timed, type Rollout } from './daemon-sets/timed.ts';
import { reconcileTime } from './extended-daemon-set/reconcile-time.ts';
import { count, directory, readOptions, type Given } from './options.ts';
import { progress } from './progress.ts';
import { requestsInFlight } from './rollout/requests-in-flight.ts';
import { inSeconds } from './rollout/in-seconds.ts';
import { OperatorProcess } from './rollout/operator-process.ts';
import { images, podSpec } from './rollout/pod-spec.ts';
import type { Scenario } from './scenario.ts';
import { verdict, type Verdict } from './verdicts/verdict.ts';
import { verdictTable } from './verdicts/verdict-table.ts';

const options = {
  nodes: count('nodes', 5000),
  others: count('pods of others, which are there all the time', 15_000),
  rest: count('seconds of nothing, to see that nothing is done', 120),
  profile: directory("write the operator's processor profiles there"),
};

const namespace = 'default';
const app = 'atoll';
const limit = '10%';
/** Until the operator has written what a rollout leaves to be written. */
const settledMs = 10_000;

/** Both rollouts, a first one and one of a new image. */
interface Both {
  readonly first: Rollout;
  readonly second: Rollout;
}

interface Here {
  readonly controlPlane: ControlPlane;
  readonly client: StreamingClient;
  readonly watch: PodWatch;
  readonly log: AuditLog;
}

/** An ExtendedDaemonSet on a large fleet, beside a native DaemonSet with the same limits on the same control plane. */
export const extendedDaemonSet: Scenario = {
  name: 'extended-daemonset',
  summary:
    'a first rollout, a new image and a canary on many nodes, beside a native DaemonSet on the same nodes',
  options,
  async run(args) {
    const given = readOptions(options, args);
    await using controlPlane = await startControlPlane({
      nodeLeaseSeconds: 200,
      audit: auditPolicy,
      onProgress: progress,
    });
    const access = await loadKubeconfig({ path: controlPlane.kubeconfig });
    const client = createClient(access, { userAgent: 'bench' });
    const log = new AuditLog(controlPlane.auditLog ?? '');
    const ending = new AbortController();
    try {
      await install(client, {});
      progress(`${given.nodes} nodes are made`);
      await controlPlane.addNodes({ nodes: given.nodes });
      await controlPlane.nodesReady(patienceMs);
      progress(`${given.others} pods of others are made`);
      await makeOthers(client, given.others);
      const watch = await watchPods(client, namespace, ending.signal);
      const here = { controlPlane, client, watch, log };
      const native = await rollNatively(here, given.nodes);
      const verdicts = [...(await rollByOperator(here, native, given)), ...reconcileTimes()];
      const what = `${given.nodes} nodes, ${given.others} pods of others, maxUnavailable ${limit}.`;
      process.stdout.write(verdictTable(what, verdicts));
      const missed = verdicts.filter(({ met }) => !met);
      if (missed.length > 0) throw new Error(`${missed.length} of ${verdicts.length} targets are missed`);
    } finally {
      ending.abort();
      await log.close();
      await client.close();
    }
  },
};

/** Pods that no scheduler looks at: they are only there. */
async function makeOthers(client: StreamingClient, size: number): Promise<void> {
  const template = templateOf('other', images.first);
  const names = Array.from({ length: size }, (_, index) => `other-${index}`);
  await inParallel(names, requestsInFlight, async (name) => {
    const spec = { ...template.spec, schedulerName: 'nobody' } as NonNullable<Pod['spec']>;
    await client.create(pods, { metadata: { ...template.metadata, namespace: 'kube-public', name }, spec });
  });
}

/**
 * Without a grace period, so that the API server removes the pods itself. Otherwise kwok does, by its name alone: where it is late, the next pod of the
 * name goes instead, and an operator whose pods have lasting names makes it again and again. A kubelet names the UID.
 */
function templateOf(label: string, image: string) {
  const [container] = podSpec.containers;
  return {
    metadata: { labels: { app: label } },
    spec: {
      ...podSpec,
      containers: [{ ...container, name: 'nginx', image }],
      tolerations: [{ operator: 'Exists' }],
      terminationGracePeriodSeconds: 0,
    },
  };
}

async function rollNatively({ controlPlane, client, watch }: Here, size: number): Promise<Both> {
  const name = 'native';
  const daemonSet: DaemonSet = {
    metadata: { namespace, name },
    spec: {
      selector: { matchLabels: { app: name } },
      template: templateOf(name, images.first),
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: limit } },
    },
  };
  const first = await timed(controlPlane, `native: ${size} pods are Ready`, async () => {
    await client.create(daemonSets, daemonSet);
    await watch.until(name, images.first, size);
  });
  const second = await timed(controlPlane, `native: ${size} pods have the new image`, async () => {
    const body = { spec: { template: templateOf(name, images.second) } };
    await client.patch(daemonSets, { namespace, name }, { type: 'merge', body });
    await watch.until(name, images.second, size);
  });
  await client.delete(daemonSets, { namespace, name });
  await watch.gone(name);
  return { first, second };
}

/** The limits of the old operator that a DaemonSet does not have are lifted. */
function object(size: number): ExtendedDaemonSet {
  const rollingUpdate = {
    maxUnavailable: limit,
    maxParallelPodCreation: size,
    slowStartIntervalDuration: '1ms',
    slowStartAdditiveIncrease: size,
  };
  return {
    metadata: { namespace, name: app },
    spec: {
      strategy: { reconcileFrequency: '100ms', rollingUpdate },
      template: templateOf(app, images.first),
    },
  };
}

/** What of a rollout is seen from outside, and what the operator did for it. */
interface Worked extends Rollout {
  readonly cpuMs: number;
  readonly writes: readonly AuditEntry[];
}

async function rollByOperator(
  here: Here,
  native: Both,
  { nodes: size, rest, profile }: Given<typeof options>,
): Promise<readonly Verdict[]> {
  const { controlPlane, client, watch, log } = here;
  const operator = await OperatorProcess.start(controlPlane, profile, ['--controllers=extended-daemon-set']);
  await delay(5_000);
  const working = async (what: string, work: () => Promise<unknown>): Promise<Worked> => {
    const [mark, cpuBefore] = [await lengthOf(log), operator.cpuMs];
    const rolled = await timed(controlPlane, `operator: ${what}`, work);
    await delay(settledMs);
    return { ...rolled, cpuMs: operator.cpuMs - cpuBefore, writes: await operatorWrites(log, mark) };
  };
  const first = await working(`${size} pods are Ready`, async () => {
    await client.create(extendedDaemonSets, object(size));
    await watch.until(app, images.first, size);
  });
  const second = await working(`${size} pods have the new image`, async () => {
    await setImage(client, images.second);
    await watch.until(app, images.second, size);
  });
  progress(`nothing happens for ${rest} s`);
  const [mark, cpuBefore] = [await lengthOf(log), operator.cpuMs];
  await delay(rest * 1000);
  const atRest = (await operatorWrites(log, mark)).length;
  const busy = (operator.cpuMs - cpuBefore) / (rest * 1000);
  const joined = await untilNewNodeIsServed(here);
  const tried = await untilCanaryIsMade(here);
  const { peakRss } = operator;
  await operator.stop();
  return [
    ...rolloutVerdicts('first rollout', first, native.first, size, 0),
    ...rolloutVerdicts('new image', second, native.second, size, size),
    verdict(
      'canary of 1 %: from the new template to its first pod',
      '≤ 1 s',
      inSeconds(tried),
      tried <= 1000,
    ),
    verdict('a new node: from its Ready to its pod', '≤ 200 ms', `${joined} ms`, joined <= 200),
    verdict(`at rest for ${rest} s: writes`, '0', String(atRest), atRest === 0),
    verdict(`at rest for ${rest} s: processor`, '< 0.5 %', `${(busy * 100).toFixed(2)} %`, busy < 0.005),
    verdict('memory, peak', '< 300 MB', `${(peakRss / 1e6).toFixed(0)} MB`, peakRss < 300e6),
  ];
}

function rolloutVerdicts(
  what: string,
  { ms, cpuMs, writes }: Worked,
  native: Rollout,
  creates: number,
  deletes: number,
): readonly Verdict[] {
  const times = `${(ms / native.ms).toFixed(2)} × (${inSeconds(ms)} : ${inSeconds(native.ms)})`;
  const share = cpuMs / native.managerMs;
  const made = ofPods(writes, 'create').length;
  const gone = ofPods(writes, 'delete').length;
  const perSecond = mostStatusWrites(writes);
  return [
    verdict(`${what}: until all pods are Ready`, '≤ 1 × native', times, ms <= native.ms),
    verdict(
      `${what}: the operator's processor time`,
      "≤ 0.5 × the controller manager's",
      `${share.toFixed(2)} × (${inSeconds(cpuMs)} : ${inSeconds(native.managerMs)})`,
      share <= 0.5,
    ),
    verdict(`${what}: pods created`, `exactly ${creates}`, String(made), made === creates),
    verdict(`${what}: pods deleted`, `exactly ${deletes}`, String(gone), gone === deletes),
    verdict(`${what}: status writes of one object in one second`, '≤ 1', String(perSecond), perSecond <= 1),
  ];
}

async function setImage(client: StreamingClient, image: string): Promise<void> {
  const body = { spec: { template: templateOf(app, image) } };
  await client.patch(extendedDaemonSets, { namespace, name: app }, { type: 'merge', body });
}

/** Milliseconds from when a new node is Ready until the API server has received its pod. */
async function untilNewNodeIsServed({ controlPlane, client, log }: Here): Promise<number> {
  const mark = await lengthOf(log);
  const [name = ''] = await controlPlane.addNodes({ pools: ['joined'], nodesPerPool: 1 });
  let readyAt = 0;
  await until(async () => {
    const node = await client.get(nodes, { name });
    readyAt = Date.now();
    return isReady(node);
  });
  await until(async () => ofPods(await operatorWrites(log, mark), 'create').length > 0);
  const [made] = ofPods(await operatorWrites(log, mark), 'create');
  return Math.max(0, (made?.receivedAt ?? Infinity) - readyAt);
}

/** Milliseconds from the answer to the new template until the API server has received the first pod of the canary. */
async function untilCanaryIsMade({ client, log }: Here): Promise<number> {
  const canary = { replicas: '1%', duration: '10m' };
  const body = { spec: { strategy: { canary } } };
  await client.patch(extendedDaemonSets, { namespace, name: app }, { type: 'merge', body });
  await delay(settledMs);
  const mark = await lengthOf(log);
  await setImage(client, images.first);
  const askedAt = Date.now();
  await until(async () => ofPods(await operatorWrites(log, mark), 'create').length > 0);
  const [made] = ofPods(await operatorWrites(log, mark), 'create');
  return Math.max(0, (made?.receivedAt ?? Infinity) - askedAt);
}

async function until(done: () => Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + patienceMs; !(await done()); await delay(5))
    if (Date.now() > deadline) throw new Error(`nothing after ${patienceMs / 1000} s`);
}

/** In this process, over objects that are made up. */
function reconcileTimes(): readonly Verdict[] {
  const sizes = [500, 1000, 2000, 5000];
  const taken = sizes.map((size) => reconcileTime(size));
  const perNode = taken.map((ms, index) => (1000 * ms) / (sizes[index] ?? 1));
  const shown = taken.map((ms, index) => `${sizes[index]}: ${ms.toFixed(1)} ms`).join(', ');
  const isLinear = (perNode.at(-1) ?? Infinity) <= 2 * (perNode[0] ?? 0);
  return [verdict('one reconcile in mid rollout, by nodes', 'linear', shown, isLinear)];
}
