import { setTimeout as delay } from 'node:timers/promises';
import { daemonSetUpdate } from '@atoll/api';
import { install } from '@atoll/operator/install';
import {
  createClient,
  createInformer,
  daemonSets,
  loadKubeconfig,
  nodes,
  pods,
  projection,
} from '@atoll/kube';
import type { DaemonSet, Pod, StreamingClient } from '@atoll/kube';
import { AuditLog, startControlPlane, type ControlPlane } from '@atoll/testbed';
import { count, readOptions } from './options.ts';
import { progress } from './progress.ts';
import { inParallel, requestsInFlight } from './rollout/in-parallel.ts';
import { inSeconds } from './rollout/in-seconds.ts';
import { OperatorProcess } from './rollout/operator-process.ts';
import { images, podSpec } from './rollout/pod-spec.ts';
import { cpuMsOf } from './rollout/process-usage.ts';
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
const patienceMs = 900_000;
/** Only what the operator writes, and of that no bodies. */
const auditPolicy = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [
    { level: 'None', verbs: ['get', 'list', 'watch'] },
    { level: 'None', userGroups: ['system:nodes', 'system:masters'] },
    { level: 'None', users: ['system:kube-controller-manager', 'system:kube-scheduler', 'system:apiserver'] },
    { level: 'Metadata' },
  ],
};

interface Rollout {
  /** Until every node that is reachable has an available pod of the new image, in milliseconds. */
  readonly ms: number;
  /** Processor time of the controller manager until then. */
  readonly managerMs: number;
}

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
      const there = await makeFleet(controlPlane, client, given.nodes);
      const watch = await watchPods(client, ending.signal);
      const native = await rollNatively(controlPlane, client, watch, there.length);
      const verdicts = await rollByOperator(
        { controlPlane, client, watch, log, native, ...given },
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

/** Yields the names of the nodes that are there, which carry a label that says so. */
async function makeFleet(
  controlPlane: ControlPlane,
  client: StreamingClient,
  size: number,
): Promise<readonly string[]> {
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
  return there;
}

/** Counts pods that are Ready, by app and image. */
interface PodWatch {
  readonly until: (app: string, image: string, count: number) => Promise<void>;
  readonly gone: (app: string) => Promise<void>;
}

async function watchPods(client: StreamingClient, signal: AbortSignal): Promise<PodWatch> {
  const fields = projection<Pod>()(
    'metadata.labels',
    'spec.containers.image',
    'status.conditions.type',
    'status.conditions.status',
  );
  const informer = createInformer({ client, resource: pods, namespace, projection: fields });
  const seen = new Map<string, { readonly app: string; readonly image: string }>();
  informer.subscribe((events) => {
    for (const { type, object } of events) {
      const { name, labels } = object.metadata;
      const image = isReady(object) ? (object.spec?.containers[0]?.image ?? '') : '';
      if (type === 'deleted') seen.delete(name);
      else seen.set(name, { app: labels?.['app'] ?? '', image });
    }
  });
  void informer.start(signal);
  await informer.synced;
  const counted = (app: string, image?: string): number =>
    [...seen.values()].filter((each) => each.app === app && (image === undefined || each.image === image))
      .length;
  const wait = async (done: () => boolean, what: () => string): Promise<void> => {
    for (const deadline = Date.now() + patienceMs; !done(); await delay(20))
      if (Date.now() > deadline) throw new Error(`${what()} after ${patienceMs / 1000} s`);
  };
  return {
    until: async (app, image, wanted) =>
      wait(
        () => counted(app, image) >= wanted,
        () => `${counted(app, image)} of ${wanted} pods of ${app} are Ready with ${image}`,
      ),
    gone: async (app) =>
      wait(
        () => counted(app) === 0,
        () => `${counted(app)} pods of ${app} are still there`,
      ),
  };
}

function isReady({ metadata, status }: Pod): boolean {
  if (metadata.deletionTimestamp !== undefined) return false;
  return status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true;
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

/** The time of one change of the image, and what the controller manager took for it. */
async function roll(
  controlPlane: ControlPlane,
  client: StreamingClient,
  watch: PodWatch,
  app: string,
  count: number,
): Promise<Rollout> {
  const manager = controlPlane.component('kube-controller-manager').pid ?? 0;
  const [startedAt, cpuBefore] = [Date.now(), cpuMsOf(manager)];
  const body = [
    { op: 'replace', path: '/spec/template/spec/containers/0/image', value: images.second },
  ] as const;
  await client.patch(daemonSets, { namespace, name: app }, { type: 'json', body });
  await watch.until(app, images.second, count);
  const found = { ms: Date.now() - startedAt, managerMs: cpuMsOf(manager) - cpuBefore };
  progress(
    `${app}: ${count} nodes are upgraded after ${inSeconds(found.ms)}; the controller manager took ${inSeconds(found.managerMs)}`,
  );
  return found;
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
  readonly rest: number;
}

async function rollByOperator(
  { controlPlane, client, watch, log, native, rest }: Given,
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
  const deletes = await writesOf(log, 0, 'delete');
  const mark = await lengthOf(log);
  progress(`nothing happens for ${rest} s`);
  await delay(rest * 1000);
  const atRest = await writesOf(log, mark);
  const { peakRss } = operator;
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
    verdict('deletions of pods', `exactly ${count}`, String(deletes), deletes === count),
    verdict('memory, peak', 'stated', `${(peakRss / 1e6).toFixed(0)} MB`, true),
    verdict(`at rest for ${rest} s: writes`, '0', String(atRest), atRest === 0),
  ];
}

async function lengthOf(log: AuditLog): Promise<number> {
  await log.readOn();
  return log.entries.length;
}

/** The operator's writes since `mark`, without events and the renewal of its lease; of pods those with the verb. */
async function writesOf(log: AuditLog, mark: number, verb?: string): Promise<number> {
  await log.readOn();
  return log.entries.slice(mark).filter(({ userAgent, resource, code, ...entry }) => {
    if (!userAgent.startsWith('atoll-operator/') || code >= 300) return false;
    if (resource.startsWith('leases') || resource.startsWith('events')) return false;
    return verb === undefined || (resource === 'pods' && entry.verb === verb);
  }).length;
}
