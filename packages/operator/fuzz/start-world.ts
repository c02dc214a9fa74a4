import { nodePools, unitedDaemonSets, yurtAppDaemons } from '@atoll/api';
import { conditionOf, namespaces, resourceQuotas, type StreamingClient } from '@atoll/kube';
import { runOperator, type ControlPlane, type RunningOperator } from '@atoll/testbed';
import { daemonNodeLabel, daemonSetSubject, extendedDaemonSetSubject } from '../chaos/subjects/daemons.ts';
import { poolWorkloads } from '../chaos/subjects/pool-workloads.ts';
import { namespace as servedNamespace, type Subject } from '../chaos/subjects/subject.ts';
import { unitedDeploymentSubject } from '../chaos/subjects/united-deployments.ts';
import {
  operatorAccount,
  operatorScript,
  withoutElection,
} from '../integration/set-up/operator-control-plane.ts';
import { seeded } from '../integration/set-up/random.ts';
import { namespaceOf } from './changed-objects.ts';
import type { FuzzOptions } from './fuzz-options.ts';
import { fuzzedKinds, poolLabel } from './kinds/fuzzed-kinds.ts';
import { hostileNamespace } from './sent-objects.ts';
import { untilServed } from './until-answered.ts';

export const poolNames = ['east', 'west'];
export const zones = ['zone-a', 'zone-b'];

/** The heap that Node takes in a container with the limit of memory that `deploy/` has, 512 MiB. */
const heapOfContainer = '--max-old-space-size=256';

/** What the objects are sent to, and what is to be served beside them. */
export interface FuzzWorld {
  readonly controlPlane: ControlPlane;
  readonly client: StreamingClient;
  readonly operator: RunningOperator;
  /** One normal object of each kind. */
  readonly served: readonly Subject[];
  readonly random: () => number;
}

/** Creates what is served beside the hostile objects, starts the operator, and waits until all of it is as wanted. */
export async function startWorld(
  options: FuzzOptions,
  controlPlane: ControlPlane,
  client: StreamingClient,
): Promise<FuzzWorld> {
  await controlPlane.nodesReady(300_000);
  const names = (await controlPlane.nodes()).map(({ name }) => name);
  await controlPlane.labelNodes(names, { [daemonNodeLabel(0)]: 'yes' });
  await client.create(namespaces, { metadata: { name: servedNamespace } });
  for (const name of [hostileNamespace, ...fuzzedKinds.map(namespaceOf)]) {
    await client.create(namespaces, { metadata: { name } });
    await boundPods(client, name, podsOfNamespace(options));
  }
  for (const name of poolNames)
    await client.create(nodePools, {
      metadata: { name, labels: { [poolLabel]: 'yes' } },
      spec: { type: 'Edge' },
    });
  const fleet = { pools: poolNames, zones };
  const served = [
    poolWorkloads(unitedDaemonSets, 1, fleet),
    poolWorkloads(yurtAppDaemons, 1, fleet),
    unitedDeploymentSubject(1, fleet),
    daemonSetSubject(1),
    extendedDaemonSetSubject(1),
    poolSubject(),
  ];
  for (const subject of served) await subject.create(client);
  const operator = await runOperator(controlPlane, {
    script: operatorScript,
    account: operatorAccount,
    args: [...withoutElection, '--controllers=*,daemon-set-upgrade,extended-daemon-set'],
    env: { NODE_OPTIONS: heapOfContainer },
  });
  const open = await untilServed(client, served, options.answerMs * 3);
  if (open.length > 0) throw new Error(`What is normal does not come up: ${open.join('; ')}`);
  return { controlPlane, client, operator, served, random: seeded(options.seed) };
}

/** Room for what is changed, which has four pods on four nodes and one more for each while it is rolled out. */
function podsOfNamespace({ changed }: FuzzOptions): number {
  return Math.max(60, changed * 8);
}

/** So that neither a number of replicas nor a priority takes the nodes from the others: that is Kubernetes' own affair. */
async function boundPods(client: StreamingClient, namespace: string, most: number): Promise<void> {
  const metadata = (name: string) => ({ namespace, name });
  await client.create(resourceQuotas, { metadata: metadata('pods'), spec: { hard: { pods: String(most) } } });
  await client.create(resourceQuotas, {
    metadata: metadata('priority'),
    spec: {
      hard: { pods: '0' },
      scopeSelector: {
        matchExpressions: [
          {
            scopeName: 'PriorityClass',
            operator: 'In',
            values: ['system-cluster-critical', 'system-node-critical'],
          },
        ],
      },
    },
  });
}

/** A label of the pools' nodes that changes. */
function poolSubject(): Subject {
  let wanted: string | undefined;
  return {
    kind: 'NodePool',
    create: async () => Promise.resolve(),
    async change(client, random) {
      const version = `v${Math.floor(random() * 1_000_000)}`;
      const body = { spec: { labels: { 'example.com/version': version } } };
      await client.patch(nodePools, { name: 'east' }, { type: 'merge', body });
      wanted = version;
      return `pool east to ${version}`;
    },
    async unsettled(client) {
      const pool = await client.get(nodePools, { name: 'east' });
      if (pool.status?.observedGeneration !== pool.metadata.generation)
        return ['pool east: its spec was not observed'];
      const ready = conditionOf(pool, 'Ready');
      return ready?.status === 'True' ? [] : [`pool east with ${wanted}: ${ready?.reason} ${ready?.message}`];
    },
  };
}
