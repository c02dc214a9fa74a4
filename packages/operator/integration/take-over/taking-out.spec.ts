// What docs/operating/remove.md says about taking Atoll out, command by command, with the real kubectl.
import { extendedDaemonSets, nodePools, unitedDeployments, yurtAppDaemons } from '@atoll/api';
import { install, shippedInstallation } from '@atoll/operator/install';
import {
  clusterRoleBindings,
  clusterRoles,
  controllerRevisions,
  createClient,
  customResourceDefinitions,
  definitionName,
  deployments,
  loadKubeconfig,
  mutatingWebhookConfigurations,
  namespaces,
  nodes,
  pods,
  statefulSets,
  validatingAdmissionPolicies,
  validatingAdmissionPolicyBindings,
  validatingWebhookConfigurations,
  type KubeObject,
  type Resource,
  type StreamingClient,
} from '@atoll/kube';
import { runOperator, startControlPlane, type ControlPlane, type RunningOperator } from '@atoll/testbed';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { removalCommands, runDocumented } from '../set-up/documented-commands.ts';
import { apply, daemon, pool } from '../set-up/objects.ts';
import { operatorAccount, operatorScript, withoutElection } from '../set-up/operator-control-plane.ts';
import { conditionsOf, eventually } from '../set-up/standing.ts';
import { untilGranted } from '../set-up/until-granted.ts';

const args = [
  ...withoutElection,
  '--controllers=*,extended-daemon-set',
  '--webhook-bind-address=127.0.0.1:0',
  '--webhook-url=https://127.0.0.1:0',
];
const everywhere = { group: 'everywhere' };
/** One node joins by each of the two labels. */
const memberships: Readonly<Record<string, Readonly<Record<string, string | null>>>> = {
  east: { 'apps.openyurt.io/nodepool': 'east' },
  west: { 'apps.openyurt.io/nodepool': null, 'apps.openyurt.io/desired-nodepool': 'west' },
};
const poolNames = Object.keys(memberships);

let controlPlane: ControlPlane;
let client: StreamingClient;
let operator: RunningOperator;
/** Of the nodes, before any pool looked after them. */
let untouched: readonly object[];

beforeAll(async () => {
  controlPlane = await startControlPlane({ fleet: { pools: poolNames, nodesPerPool: 1 } });
  client = createClient(await loadKubeconfig({ path: controlPlane.kubeconfig }), { userAgent: 'spec' });
  await controlPlane.nodesReady();
  untouched = await attributesOfNodes();
});

afterAll(async () => {
  await client?.close();
  await controlPlane?.stop();
});

/** What is on the nodes, but for what Kubernetes itself puts there sooner or later, and for the label of membership. */
async function attributesOfNodes(): Promise<readonly object[]> {
  const { items } = await client.list(nodes);
  return items.map(({ metadata: { name, labels, annotations }, spec }) => ({
    name,
    labels: foreign(labels),
    annotations: foreign(annotations),
    taints: (spec?.taints ?? []).filter(({ key }) => !isOfKubernetes(key)),
  }));
}

function foreign(entries: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  const kept = Object.entries(entries).filter(
    ([key]) => !isOfKubernetes(key) && key !== 'apps.openyurt.io/nodepool',
  );
  return Object.fromEntries(kept);
}

function isOfKubernetes(key: string): boolean {
  return /(^|\.)kubernetes\.io\//.test(key);
}

/** Two pools with all that one can put on nodes, a Deployment in each, a StatefulSet in a subset, and a pod on each node. */
async function use(): Promise<void> {
  await install(client);
  await untilGranted(await controlPlane.kubeconfigFor(operatorAccount));
  operator = await runOperator(controlPlane, {
    script: operatorScript,
    account: operatorAccount,
    args,
  });
  for (const name of poolNames) {
    await controlPlane.labelNodes([`${name}-node-1`], memberships[name] ?? {});
    await apply(
      client,
      nodePools,
      pool(name, everywhere, {
        type: 'Edge',
        labels: { 'example.com/region': name },
        annotations: { 'example.com/contact': 'ops' },
        taints: [{ key: 'example.com/edge', value: 'true', effect: 'NoSchedule' }],
      }),
    );
  }
  await apply(client, yurtAppDaemons, daemon({ name: 'web', pools: everywhere, replicas: 1 }));
  const labels = { app: 'shop' };
  await apply(client, unitedDeployments, {
    metadata: { namespace: 'default', name: 'shop' },
    spec: {
      replicas: 2,
      selector: { matchLabels: labels },
      template: {
        statefulSetTemplate: {
          metadata: { labels },
          spec: {
            serviceName: 'shop',
            selector: { matchLabels: labels },
            template: {
              metadata: { labels },
              spec: {
                containers: [{ name: 'shop', image: 'nginx:1.27' }],
                tolerations: [{ key: 'example.com/edge', operator: 'Exists' }],
              },
            },
          },
        },
      },
      topology: { subsets: [{ name: 'only' }] },
    },
  });
  const agent = { app: 'agent' };
  await apply(client, extendedDaemonSets, {
    metadata: { namespace: 'default', name: 'agent' },
    spec: {
      strategy: {},
      template: {
        metadata: { labels: agent },
        spec: {
          containers: [{ name: 'agent', image: 'nginx:1.27' }],
          tolerations: [{ key: 'example.com/edge', operator: 'Exists' }],
        },
      },
    },
  });
  const ready = { Ready: { status: 'True' } };
  await eventually(async () => {
    expect(await conditionsOf(client, yurtAppDaemons, 'web', 'default')).toMatchObject(ready);
    expect(await conditionsOf(client, unitedDeployments, 'shop', 'default')).toMatchObject(ready);
    expect(await conditionsOf(client, extendedDaemonSets, 'agent', 'default')).toMatchObject(ready);
    for (const name of poolNames) expect(await conditionsOf(client, nodePools, name)).toMatchObject(ready);
    expect((await client.list(validatingWebhookConfigurations)).items).toHaveLength(1);
    expect((await client.list(mutatingWebhookConfigurations)).items).toHaveLength(1);
    // The slow start of the agent takes a minute for its second pod.
  }, 240_000);
}

/** As a person does it who runs the operator from a terminal. */
async function follow(heading: string): Promise<void> {
  const commands = removalCommands(heading);
  expect(commands.length).toBeGreaterThan(4);
  for (const command of commands) {
    if (command.includes('operator.yaml')) await operator.kill('SIGTERM');
    await runDocumented(command, controlPlane.kubeconfig);
  }
  expect(operator.pid).toBeUndefined();
}

/** Everything of ours that a cluster can hold beside workloads. */
async function traces(): Promise<readonly string[]> {
  const kinds = [
    customResourceDefinitions,
    validatingAdmissionPolicies,
    validatingAdmissionPolicyBindings,
    mutatingWebhookConfigurations,
    validatingWebhookConfigurations,
    clusterRoles,
    clusterRoleBindings,
    namespaces,
  ] as readonly Resource<KubeObject>[];
  const found = await Promise.all(
    kinds.map(async (kind) => (await client.list(kind)).items.map((item) => `${kind.kind} ${nameOf(item)}`)),
  );
  return found.flat().filter((each) => /atoll|openyurt|apps\.kruise|datadoghq/.test(each));
}

function nameOf({ metadata }: KubeObject): string {
  return metadata.name;
}

/** The workloads and what they are made of, by uid: the same as long as nothing was made anew. */
async function running(): Promise<readonly object[]> {
  const kinds = [deployments, statefulSets, controllerRevisions, pods] as readonly Resource<KubeObject>[];
  const lists = await Promise.all(kinds.map(async (kind) => client.list(kind, { namespace: 'default' })));
  return lists.flatMap(({ items }) =>
    items.map(({ metadata: { name, uid, generation } }) => ({ name, uid, generation })),
  );
}

/** The mistake that would end a fleet: the definitions first, with all objects of their kinds. */
async function definitionsFirst(): Promise<void> {
  const before = await running();
  for (const files of ['deploy/install.yaml --dry-run=server', 'deploy/crds']) {
    const command = `kubectl delete -f ${files}`;
    const answers = await runDocumented(command, controlPlane.kubeconfig).then(String, String);
    for (const { resource } of shippedInstallation.kinds) {
      expect(answers).toContain(
        `with the definition ${definitionName(resource)} all its objects would be deleted`,
      );
    }
  }
  const { items } = await client.list(customResourceDefinitions);
  expect(items.filter(({ metadata }) => metadata.deletionTimestamp !== undefined)).toEqual([]);
  expect(await running()).toEqual(before);
}

describe('taking it out', { timeout: 800_000 }, () => {
  it('removing all that it made leaves the cluster as it was before, and nothing goes in the wrong order', async () => {
    await use();
    expect(await attributesOfNodes()).not.toEqual(untouched);
    expect(await running()).not.toEqual([]);
    await definitionsFirst();
    await follow('## Remove all that it made');
    expect(await traces()).toEqual([]);
    expect(await attributesOfNodes()).toEqual(untouched);
    // The garbage collector takes along what they were made of.
    await eventually(async () => expect(await running()).toEqual([]));
  });

  it('keeping what runs replaces and changes nothing of it', async () => {
    await use();
    const before = { running: await running(), nodes: await attributesOfNodes() };
    await follow('## Keep what runs');
    expect(await traces()).toEqual([]);
    expect({ running: await running(), nodes: await attributesOfNodes() }).toEqual(before);
    const { items } = await client.list(deployments, { namespace: 'default' });
    expect(items).toHaveLength(poolNames.length);
    for (const { metadata } of items) expect(metadata.ownerReferences ?? []).toEqual([]);
    const agents = await client.list(pods, { namespace: 'default', labelSelector: 'app=agent' });
    expect(agents.items).toHaveLength(poolNames.length);
    for (const { metadata } of agents.items) expect(metadata.ownerReferences ?? []).toEqual([]);
  });
});
