import { setTimeout as delay } from 'node:timers/promises';
import { nodePools } from '@atoll/api';
import { createClient, loadKubeconfig, namespaces, type StreamingClient } from '@atoll/kube';
import { install } from '@atoll/operator/install';
import { startControlPlane, type ControlPlane } from '@atoll/testbed';
import { seeded } from '../integration/set-up/random.ts';
import { startAgents } from './agents/start-agents.ts';
import type { ChaosOptions } from './chaos-options.ts';
import type { ChaosWorld } from './faults/chaos-world.ts';
import { keepRunning, startReplicas } from './replicas.ts';
import {
  agentDaemonSubject,
  daemonNodeLabel,
  daemonSetSubject,
  extendedDaemonSetSubject,
  maxUnavailableOf,
} from './subjects/daemons.ts';
import { poolWorkloadKinds, poolWorkloads } from './subjects/pool-workloads.ts';
import { settingSubject } from './subjects/settings.ts';
import { namespace, numbered, spread, type ChaosFleet, type Subject } from './subjects/subject.ts';
import { unitedDeploymentSubject } from './subjects/united-deployments.ts';
import { untilSettled } from './until-settled.ts';

/** DaemonSets on the nodes with agents. */
const agentDaemons = 2;
const zones = ['zone-a', 'zone-b', 'zone-c'];

/** What a run changes and harms; `await using` ends it. */
export interface StartedWorld extends AsyncDisposable {
  readonly world: ChaosWorld;
  readonly subjects: readonly Subject[];
}

/** Starts a control plane, operators and agents, creates the objects, and waits until all is as wanted. */
export async function startWorld(options: ChaosOptions): Promise<StartedWorld> {
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
    ...subjectsOf(options, { pools: poolNames, zones }),
    ...(agents.length === 0 ? [] : [agentSubject]),
  ];
  await create(client, controlPlane, options, poolNames, subjects);
  const started: StartedWorld = {
    world,
    subjects,
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
    await started[Symbol.asyncDispose]();
    throw error;
  }
  return started;
}

function subjectsOf({ objects, nodesOfDaemons }: ChaosOptions, fleet: ChaosFleet): readonly Subject[] {
  return [
    ...poolWorkloadKinds.map((resource) => poolWorkloads(resource, objects, fleet)),
    unitedDeploymentSubject(objects, fleet),
    daemonSetSubject(objects, maxUnavailableOf(nodesOfDaemons)),
    extendedDaemonSetSubject(objects, maxUnavailableOf(nodesOfDaemons)),
    settingSubject(objects, fleet),
  ];
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
