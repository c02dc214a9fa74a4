import { setTimeout as delay } from 'node:timers/promises';
import { daemonSetUpdate } from '@atoll/api';
import { install } from '@atoll/operator/install';
import { createClient, daemonSets, inParallel, isReady, loadKubeconfig, nodes, pods } from '@atoll/kube';
import type { DaemonSet, StreamingClient } from '@atoll/kube';
import { AuditLog, startControlPlane, type ControlPlane } from '@atoll/testbed';
import { auditPolicy } from './daemon-sets/audit-policy.ts';
import { lengthOf, ofPods, operatorWrites } from './daemon-sets/operator-writes.ts';
import { patienceMs, watchPods, type PodWatch } from './daemon-sets/pod-watch.ts';
import { timed, type Rollout } from './daemon-sets/timed.ts';
import { count, readOptions } from './options.ts';
import { progress } from './progress.ts';
import { requestsInFlight } from './rollout/requests-in-flight.ts';
import { inSeconds } from './rollout/in-seconds.ts';
import { OperatorProcess } from './rollout/operator-process.ts';
import { images, podSpec } from './rollout/pod-spec.ts';
import type { Scenario } from './scenario.ts';
import { verdict, type Verdict } from './verdicts/verdict.ts';
import { verdictTable } from './verdicts/verdict-table.ts';

const options = {
  nodes: count('nodes, a tenth of which is away', 2000),
  rest: count('seconds of nothing, to see that nothing is done', 60),
};

const namespace = 'default';
const reachable = 'bench.example/reachable';
const limit = '10%';

/** AdvancedRollingUpdate of a fleet of which a tenth is away, beside the native RollingUpdate of those nodes that are there. */
export const daemonSetUpgrade: Scenario = {
  name: 'daemon-set-upgrade',
  summary:
    'an upgrade on many nodes of which a tenth is away, beside the native RollingUpdate on those that are there',
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
      const { there, away } = await makeFleet(controlPlane, client, given.nodes);
      const watch = await watchPods(client, namespace, ending.signal);
      const native = await rollNatively(controlPlane, client, watch, there.length);
      const verdicts = await rollByOperator(
        { controlPlane, client, watch, log, native, away, ...given },
        there.length,
      );
      const what = `${given.nodes} nodes, ${given.nodes - there.length} away, max-unavailable ${limit}.`;
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

interface Fleet {
  /** The names of the nodes that are there, which carry a label for it. */
  readonly there: readonly string[];
  readonly away: readonly string[];
}

async function makeFleet(controlPlane: ControlPlane, client: StreamingClient, size: number): Promise<Fleet> {
  progress(`${size} nodes are made`);
  const names = await controlPlane.addNodes({ nodes: size });
  await controlPlane.nodesReady(patienceMs);
  const away = names.filter((_, index) => index % 10 === 0);
  const there = names.filter((_, index) => index % 10 !== 0);
  const body = { metadata: { labels: { [reachable]: 'yes' } } };
  await inParallel(there, requestsInFlight, async (name) =>
    client.patch(nodes, { name }, { type: 'merge', body }),
  );
  progress(`${away.length} of them go away`);
  await controlPlane.reportNodes(away, 'NotReady');
  return { there, away };
}

function agent(app: string, change: Partial<NonNullable<DaemonSet['spec']>>, nodeSelector = {}): DaemonSet {
  const labels = { app };
  const tolerations = [{ operator: 'Exists' }];
  const template = { metadata: { labels }, spec: { ...podSpec, nodeSelector, tolerations } };
  const annotations = {
    [daemonSetUpdate.annotations.updateStrategy]: 'AdvancedRollingUpdate',
    [daemonSetUpdate.annotations.maxUnavailable]: limit,
  };
  const isOurs = change.updateStrategy?.type === 'OnDelete';
  return {
    metadata: { namespace, name: app, ...(isOurs ? { annotations } : {}) },
    spec: { selector: { matchLabels: labels }, template, ...change },
  };
}

/** One change of the image. */
async function roll(
  controlPlane: ControlPlane,
  client: StreamingClient,
  watch: PodWatch,
  app: string,
  count: number,
): Promise<Rollout> {
  const body = [
    { op: 'replace', path: '/spec/template/spec/containers/0/image', value: images.second },
  ] as const;
  return timed(controlPlane, `${app}: ${count} nodes are upgraded`, async () => {
    await client.patch(daemonSets, { namespace, name: app }, { type: 'json', body });
    await watch.until(app, images.second, count);
  });
}

async function rollNatively(
  controlPlane: ControlPlane,
  client: StreamingClient,
  watch: PodWatch,
  count: number,
): Promise<Rollout> {
  const updateStrategy = { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: limit } };
  await client.create(daemonSets, agent('native', { updateStrategy }, { [reachable]: 'yes' }));
  await watch.until('native', images.first, count);
  const rolled = await roll(controlPlane, client, watch, 'native', count);
  await client.delete(daemonSets, { namespace, name: 'native' });
  await watch.gone('native');
  return rolled;
}

interface Given {
  readonly controlPlane: ControlPlane;
  readonly client: StreamingClient;
  readonly watch: PodWatch;
  readonly log: AuditLog;
  readonly native: Rollout;
  readonly away: readonly string[];
  readonly rest: number;
}

async function rollByOperator(
  { controlPlane, client, watch, log, native, away, rest }: Given,
  count: number,
): Promise<readonly Verdict[]> {
  await client.create(daemonSets, agent('atoll', { updateStrategy: { type: 'OnDelete' } }));
  await watch.until('atoll', images.first, count);
  const operator = await OperatorProcess.start(controlPlane, undefined, ['--controllers=daemon-set-upgrade']);
  await delay(5_000);
  const cpuBefore = operator.cpuMs;
  const rolled = await roll(controlPlane, client, watch, 'atoll', count);
  await delay(10_000);
  const cpuMs = operator.cpuMs - cpuBefore;
  const deletes = ofPods(await operatorWrites(log, 0), 'delete').length;
  const mark = await lengthOf(log);
  progress(`nothing happens for ${rest} s`);
  await delay(rest * 1000);
  const atRest = (await operatorWrites(log, mark)).length;
  const { peakRss } = operator;
  const returned = await untilReturnedIsUpgraded(controlPlane, client, away[0] ?? '');
  await operator.stop();
  const factor = rolled.ms / native.ms;
  const share = cpuMs / rolled.managerMs;
  const times = `${factor.toFixed(2)} × (${inSeconds(rolled.ms)} : ${inSeconds(native.ms)})`;
  return [
    verdict('until all nodes that are there are upgraded', '≤ 1.1 × native', times, factor <= 1.1),
    verdict(
      "the operator's processor time",
      "≤ 0.6 × the controller manager's",
      `${share.toFixed(2)} × (${inSeconds(cpuMs)} : ${inSeconds(rolled.managerMs)})`,
      share <= 0.6,
    ),
    verdict(
      'a node comes back: from its Ready until its pod is deleted',
      '≤ 1 s',
      inSeconds(returned),
      returned <= 1000,
    ),
    verdict('deletions of pods', `exactly ${count}`, String(deletes), deletes === count),
    verdict('memory, peak', 'stated', `${(peakRss / 1e6).toFixed(0)} MB`, true),
    verdict(`at rest for ${rest} s: writes`, '0', String(atRest), atRest === 0),
  ];
}

/** Milliseconds from when the node is seen to be Ready until its old pod is seen to go. */
async function untilReturnedIsUpgraded(
  controlPlane: ControlPlane,
  client: StreamingClient,
  name: string,
): Promise<number> {
  const old = await podOf(client, name);
  await controlPlane.reportNodes([name], 'Ready');
  await until(async () => isReady(await client.get(nodes, { name })));
  const readyAt = Date.now();
  await until(async () => {
    const { items } = await client.list(pods, { namespace, fieldSelector: `spec.nodeName=${name}` });
    return items.every(({ metadata }) => metadata.uid !== old || metadata.deletionTimestamp !== undefined);
  });
  return Date.now() - readyAt;
}

async function podOf(client: StreamingClient, node: string): Promise<string | undefined> {
  const { items } = await client.list(pods, { namespace, fieldSelector: `spec.nodeName=${node}` });
  return items[0]?.metadata.uid;
}

async function until(done: () => Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + patienceMs; !(await done()); await delay(20))
    if (Date.now() > deadline) throw new Error(`nothing after ${patienceMs / 1000} s`);
}
