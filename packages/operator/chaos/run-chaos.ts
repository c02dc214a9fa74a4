import { readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  agentUser,
  extendedDaemonSetReplicaSets,
  labels,
  nodePools,
  unitedDaemonSets,
  unitedDeployments,
  yurtAppDaemons,
} from '@atoll/api';
import {
  controllerRevisions,
  createClient,
  deployments,
  loadKubeconfig,
  namespaces,
  nodes,
  pods,
  type KubeObject,
  type Resource,
  type StreamingClient,
} from '@atoll/kube';
import { install } from '@atoll/operator/install';
import {
  atMostOneLiveChild,
  checkHistory,
  deletesCarryUid,
  runOperator,
  startControlPlane,
  startFaultProxy,
  startRecording,
  touchesOnlyOwn,
  writesOf,
  type Check,
  type ControlPlane,
  type Violation,
} from '@atoll/testbed';
import { seeded, shuffled } from '../integration/random.ts';
import { operatorAccount, operatorUser } from '../integration/operator-control-plane.ts';
import { startNodeAgents, stateOf, type NodeAgent } from './agents/node-agent.ts';
import type { ChaosOptions } from './chaos-options.ts';
import { isJudged, type ChaosReport, type ChaosRound, type ProcessSize } from './chaos-report.ts';
import { onePodOnANode, ownOutages } from './checks/own-outages.ts';
import { recordedUpgrades } from './checks/recorded-upgrades.ts';
import { agentFaults } from './faults/agent-disks.ts';
import { chaosFaults } from './faults/chaos-faults.ts';
import type { ChaosFault, ChaosWorld, Replica } from './faults/chaos-world.ts';
import {
  agentDaemonSubject,
  agentNodeLabel,
  canaryReplicas,
  daemonNodeLabel,
  daemonSetSubject,
  extendedDaemonSetSubject,
  maxUnavailableOf,
} from './subjects/daemons.ts';
import { poolWorkloadKinds, poolWorkloads } from './subjects/pool-workloads.ts';
import { namespace, numbered, pick, type ChaosFleet, type Subject } from './subjects/subject.ts';
import { unitedDeploymentSubject } from './subjects/united-deployments.ts';

/** DaemonSets on the nodes with agents. */
const agentDaemons = 2;
const controllers = '*,daemon-set-upgrade,extended-daemon-set';
const zones = ['zone-a', 'zone-b', 'zone-c'];
const election = [
  '--leader-elect-lease-duration=10s',
  '--leader-elect-renew-deadline=5s',
  '--leader-elect-retry-period=1s',
];
const recorded: readonly Resource<KubeObject>[] = [
  pods,
  nodes,
  deployments,
  controllerRevisions,
  extendedDaemonSetReplicaSets,
] as readonly Resource<KubeObject>[];

/** A run in which no round was judged goes on for this many rounds, however short it was to be. */
const mostUnjudged = 3;

/**
 * Runs rounds of faults and changes until the time is over and one of them was judged, or a round broke a rule.
 * `onRound` is given each.
 */
export async function runChaos(
  options: ChaosOptions,
  onRound: (round: ChaosRound) => void = () => undefined,
): Promise<ChaosReport> {
  await using chaos = await startChaos(options);
  const rounds: ChaosRound[] = [];
  const end = Date.now() + options.runMs;
  do {
    const round = await chaos.round(rounds.length + 1);
    rounds.push(round);
    onRound(round);
    if (round.violations.length > 0 || round.unsettled.length > 0) break;
  } while (Date.now() < end || (rounds.length < mostUnjudged && !rounds.some(isJudged)));
  return { options, rounds };
}

interface Chaos extends AsyncDisposable {
  round(number: number): Promise<ChaosRound>;
}

async function startChaos(options: ChaosOptions): Promise<Chaos> {
  const poolNames = numbered('pool', options.pools);
  const controlPlane = await startControlPlane({
    fleet: { pools: poolNames, nodes: options.nodes, zones },
    audit: true,
    prepare: install,
    // Old audit logs go: a round reads its own while it is written.
    apiServerFlags: { 'etcd-compaction-interval': '30s', 'audit-log-maxbackup': 2 },
  });
  const client = createClient(await loadKubeconfig({ path: controlPlane.kubeconfig }), {
    userAgent: 'chaos',
  });
  const ending = new AbortController();
  const random = seeded(options.seed);
  await controlPlane.nodesReady(300_000);
  const agents = await startAgents(controlPlane, client, options, ending.signal);
  const agentSubject = agentDaemonSubject(agents.length === 0 ? 0 : agentDaemons);
  const world: ChaosWorld = {
    controlPlane,
    client,
    replicas: await startReplicas(controlPlane),
    pools: poolNames,
    agents,
    changeAgentDaemons: async () => agentSubject.change(client, random),
    fullDisks: [],
    faultsLeft: [],
    random,
    wait: async (ms) => delay(ms, undefined, { signal: ending.signal }),
    addNode: async (pool) => {
      const [added = ''] = await controlPlane.addNodes({ pools: [pool], nodes: 1, zones });
      await labelDaemonNodes(controlPlane, options, [added]);
    },
  };
  const keeping = keepRunning(world.replicas, ending.signal);
  const subjects = [
    ...subjectsOf(options, { pools: poolNames, zones, nodesOfDaemons: options.nodesOfDaemons }),
    ...(agents.length === 0 ? [] : [agentSubject]),
  ];
  await create(client, controlPlane, options, poolNames, subjects);
  const chaos: Chaos = {
    round: async (number) => runRound(number, options, world, subjects),
    async [Symbol.asyncDispose]() {
      ending.abort();
      await keeping;
      for (const { proxy } of world.replicas) await proxy.close();
      await client.close();
      await controlPlane.stop();
    },
  };
  try {
    const open = await untilSettled(client, subjects, 600_000);
    if (open.length > 0) throw new Error(`The fleet does not come up: ${open.slice(0, 5).join('; ')}`);
  } catch (error) {
    await chaos[Symbol.asyncDispose]();
    throw error;
  }
  return chaos;
}

/** None where no disk can be mounted: only a run that names the fault ends then. */
async function startAgents(
  controlPlane: ControlPlane,
  client: StreamingClient,
  { agents, faults }: ChaosOptions,
  signal: AbortSignal,
): Promise<readonly NodeAgent[]> {
  const names = agentFaults.map(({ name }) => name);
  const isNamed = names.some((name) => faults.includes(name));
  if (agents === 0 || (faults.length > 0 && !isNamed)) return [];
  const all = (await controlPlane.nodes()).map(({ name }) => name);
  const nodesOfAgents = spread(all, agents);
  try {
    const started = await startNodeAgents(controlPlane, client, nodesOfAgents, signal);
    await controlPlane.labelNodes(nodesOfAgents, { [agentNodeLabel]: 'yes' });
    return started;
  } catch (error) {
    if (isNamed) throw error;
    console.log(`without ${names.join(', ')}: ${String(error)}`);
    return [];
  }
}

/** So many of them, at equal distances. */
function spread(names: readonly string[], count: number): readonly string[] {
  const step = Math.max(1, Math.floor(names.length / count));
  return names.filter((_, index) => index % step === 0).slice(0, count);
}

function subjectsOf({ objects, nodesOfDaemons }: ChaosOptions, fleet: ChaosFleet): readonly Subject[] {
  return [
    ...poolWorkloadKinds.map((resource) => poolWorkloads(resource, objects, fleet)),
    unitedDeploymentSubject(objects, fleet),
    daemonSetSubject(objects, maxUnavailableOf(nodesOfDaemons)),
    extendedDaemonSetSubject(objects, maxUnavailableOf(nodesOfDaemons)),
  ];
}

async function startReplicas(controlPlane: ControlPlane): Promise<readonly Replica[]> {
  const replicas: Replica[] = [];
  for (const name of ['operator-1', 'operator-2']) {
    const proxy = await startFaultProxy({ target: controlPlane, directory: controlPlane.directory });
    const clockFile = join(controlPlane.directory, `${name}.clock`);
    writeFileSync(clockFile, '0');
    const component = await runOperator(controlPlane, {
      script: join(import.meta.dirname, 'operator-with-clock.ts'),
      account: operatorAccount,
      name,
      kubeconfig: await proxy.kubeconfigFrom(await controlPlane.kubeconfigFor(operatorAccount)),
      args: [...election, `--controllers=${controllers}`, '--clock-file', clockFile],
    });
    replicas.push({ component, proxy, clockFile, down: false });
  }
  return replicas;
}

/** As a Deployment would: an operator that ended is started again. */
async function keepRunning(replicas: readonly Replica[], signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    for (const { component, down } of replicas) {
      if (!down && component.pid === undefined && !signal.aborted)
        await component.restart().catch(() => undefined);
    }
    await delay(500, undefined, { signal }).catch(() => undefined);
  }
}

/** These nodes get a pod of each daemon. */
async function labelDaemonNodes(
  controlPlane: ControlPlane,
  { objects }: ChaosOptions,
  names: readonly string[],
): Promise<void> {
  const daemons = Array.from({ length: objects }, (_, index) => [daemonNodeLabel(index), 'yes'] as const);
  await controlPlane.labelNodes(names, Object.fromEntries(daemons));
}

async function create(
  client: StreamingClient,
  controlPlane: ControlPlane,
  options: ChaosOptions,
  pools: readonly string[],
  subjects: readonly Subject[],
): Promise<void> {
  await client.create(namespaces, { metadata: { name: namespace } });
  const all = (await controlPlane.nodes()).map(({ name }) => name);
  await labelDaemonNodes(controlPlane, options, spread(all, options.nodesOfDaemons));
  for (const name of pools) await client.create(nodePools, { metadata: { name }, spec: { type: 'Edge' } });
  for (const subject of subjects) await subject.create(client);
}

async function runRound(
  number: number,
  options: ChaosOptions,
  world: ChaosWorld,
  subjects: readonly Subject[],
): Promise<ChaosRound> {
  const { controlPlane, client, random, agents, fullDisks } = world;
  const { kubeconfig, auditLog = '' } = controlPlane;
  // What was checked is forgotten, so that the four hundredth round reads no more than the first.
  truncateSync(auditLog, 0);
  await using recording = await startRecording({ kubeconfig, auditLog, resources: recorded });
  const end = Date.now() + options.roundMs;
  fullDisks.splice(0);
  const asked = askedOf(agents);
  const chosen = chaosFaults
    .filter(({ name }) => options.faults.length === 0 || options.faults.includes(name))
    .filter((fault) => agents.length > 0 || !agentFaults.includes(fault));
  const [{ faults, failed }, changes] = await Promise.all([
    injectUntil(end, chosen, world),
    changeUntil(end, subjects, client, random),
  ]);
  await controlPlane.nodesReady(Math.max(60_000, options.settleMs));
  const since = Date.now();
  const unsettled = await untilSettled(client, subjects, options.settleMs, agents);
  const settledMs = Date.now() - since;
  const ownerUids = await uidsOfOwners(client);
  const upgrades = askedOf(agents);
  const recordedUpgrade = recordedUpgrades({
    user: agentUser,
    recorded: agents.flatMap((agent) => stateOf(agent)?.upgrades ?? []),
    fullDisks,
    live: await uidsOfPods(client),
  });
  const history = await recording.history();
  // An API server that is started again begins with what is there now: what came just before can be missing.
  const [gap] = history.gaps;
  return {
    round: number,
    faults,
    changes,
    writes: writesOf(history).filter(({ audit }) => audit.user === operatorUser && audit.code < 300).length,
    upgrades: upgrades.begun - asked.begun,
    refusedUpgrades: upgrades.refused - asked.refused,
    settledMs,
    violations: [
      ...failed,
      ...endedAgents(agents),
      ...(gap === undefined
        ? checkHistory(history, [...checks(ownerUids, options.nodesOfDaemons), recordedUpgrade])
        : []),
    ],
    unjudged:
      gap === undefined
        ? undefined
        : `events of ${gap.resource} after version ${gap.afterVersion} can be missing`,
    unsettled,
    processes: [...world.replicas, ...agents].flatMap(({ component }) =>
      component.pid === undefined ? [] : [sizeOf(component.name, component.pid)],
    ),
  };
}

/** One fault after the other, each once before any comes again, whatever the round. A fault that cannot be done is a fault of the run. */
async function injectUntil(
  end: number,
  faults: readonly ChaosFault[],
  world: ChaosWorld,
): Promise<{ readonly faults: Readonly<Record<string, number>>; readonly failed: readonly Violation[] }> {
  const counts: Record<string, number> = {};
  const failed: Violation[] = [];
  const { faultsLeft } = world;
  while (Date.now() < end) {
    if (faultsLeft.length === 0) faultsLeft.push(...shuffled(faults, world.random));
    const fault = faultsLeft.shift();
    if (fault === undefined) break;
    counts[fault.name] = (counts[fault.name] ?? 0) + 1;
    await fault.run(world).catch((error: unknown) => {
      failed.push({ rule: `fault ${fault.name}`, message: String(error) });
    });
    await world.wait(world.random() * 3_000);
  }
  return { faults: counts, failed };
}

async function changeUntil(
  end: number,
  subjects: readonly Subject[],
  client: StreamingClient,
  random: () => number,
): Promise<number> {
  let changes = 0;
  while (Date.now() < end) {
    // The API server may be down: a person would try again.
    await pick(subjects, random)
      .change(client, random)
      .then(
        () => (changes += 1),
        () => undefined,
      );
    await delay(200 + random() * 1_000);
  }
  return changes;
}

async function untilSettled(
  client: StreamingClient,
  subjects: readonly Subject[],
  ms: number,
  agents: readonly NodeAgent[] = [],
): Promise<readonly string[]> {
  const end = Date.now() + ms;
  for (;;) {
    const open: string[] = await behindAgents(client, agents);
    for (const subject of subjects)
      open.push(
        ...(await subject
          .unsettled(client)
          .catch((error: unknown) => [`${subject.kind}: cannot be read: ${String(error)}`])),
      );
    if (open.length === 0 || Date.now() > end) return open;
    await delay(500);
  }
}

/** Yields what agents have not on disk though it is there: the pods that they upgrade. */
async function behindAgents(client: StreamingClient, agents: readonly NodeAgent[]): Promise<string[]> {
  if (agents.length === 0) return [];
  try {
    const { items } = await client.list(pods, { namespace });
    return agents.flatMap((agent) => {
      const kept = new Set(stateOf(agent)?.pods.map(({ metadata }) => metadata.uid));
      return items
        .filter((pod) => pod.spec?.nodeName === agent.node && daemonOf(pod)?.startsWith('ota-') === true)
        .filter(({ metadata }) => !kept.has(metadata.uid))
        .map(({ metadata }) => `agent of ${agent.node}: ${metadata.name} is not on its disk`);
    });
  } catch (error) {
    return [`pods cannot be read: ${String(error)}`];
  }
}

function endedAgents(agents: readonly NodeAgent[]): readonly Violation[] {
  return agents
    .filter(({ component, pid }) => component.pid === undefined || component.pid !== pid)
    .map(({ component }) => ({
      rule: 'agents do not end by themselves',
      message: `${component.name}: ${component.lastWords()}`,
    }));
}

function askedOf(agents: readonly NodeAgent[]): { readonly begun: number; readonly refused: number } {
  return {
    begun: agents.reduce((sum, { upgrades }) => sum + upgrades, 0),
    refused: agents.reduce((sum, { refused }) => sum + refused, 0),
  };
}

async function uidsOfPods(client: StreamingClient): Promise<ReadonlySet<string>> {
  const { items } = await client.list(pods, { namespace });
  return new Set(
    items
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .map(({ metadata }) => metadata.uid),
  );
}

async function uidsOfOwners(client: StreamingClient): Promise<ReadonlySet<string>> {
  const kinds = [unitedDaemonSets, yurtAppDaemons, unitedDeployments] as readonly Resource<KubeObject>[];
  const lists = await Promise.all(kinds.map(async (resource) => client.list(resource, { namespace })));
  return new Set(lists.flatMap(({ items }) => items.map(({ metadata }) => metadata.uid)));
}

const daemonOf = ({ metadata }: KubeObject): string | undefined => {
  const app = metadata.labels?.['app'];
  return app !== undefined && /^(e?ds|ota)-\d+$/.test(app) ? app : undefined;
};

function checks(ownerUids: ReadonlySet<string>, nodesOfDaemons: number): readonly Check[] {
  const user = operatorUser;
  const children = ['deployments.apps'];
  return [
    atMostOneLiveChild({
      resources: children,
      place: ({ metadata }) => metadata.labels?.[labels.poolName] ?? metadata.labels?.[labels.subsetName],
    }),
    touchesOnlyOwn({ user, resources: [...children, 'controllerrevisions.apps'], ownerUids }),
    deletesCarryUid({ user }),
    deletesCarryUid({ user: agentUser }),
    onePodOnANode({ daemonOf }),
    ownOutages({
      user,
      daemonOf,
      budgetOf: (daemon) =>
        // Those belong to the owners of the nodes.
        daemon.startsWith('ota')
          ? 0
          : maxUnavailableOf(nodesOfDaemons) + (daemon.startsWith('eds') ? canaryReplicas : 0),
    }),
  ];
}

function sizeOf(name: string, pid: number): ProcessSize {
  try {
    const pages = Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]);
    const files = readdirSync(`/proc/${pid}/fd`).length;
    return { name, pid, megabytes: Math.round((pages * 4096) / 1024 / 1024), files };
  } catch {
    // It ended just now.
    return { name, pid, megabytes: 0, files: 0 };
  }
}
