// Objects of thousands of levels, which the API server takes up to nearly 10,000, on a real control plane.
import { extendedDaemonSets, unitedDeployments, type Subset } from '@atoll/api';
import { controllerRevisions, type KubeObject, type Stored, type StreamingClient } from '@atoll/kube';
import type { RunningOperator } from '@atoll/testbed';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { withoutElection, type OperatorControlPlane } from '../set-up/operator-control-plane.ts';
import { sharedOperatorControlPlane } from '../set-up/shared-operator-control-plane.ts';
import { conditionsOf, eventually } from '../set-up/standing.ts';
import {
  childrenOf,
  imageOf,
  inZone,
  namespace,
  readyIn,
  setImage,
  united,
} from '../united-deployment/objects.ts';

const patienceMs = 100_000;
const controllers = ['node-pool', 'united-daemon-set', 'united-deployment', 'yurt-app-daemon'];
const subsets = [inZone('a', 'zone-a'), inZone('b', 'zone-b')] as const;

let world: OperatorControlPlane;
let client: StreamingClient;
let operator: RunningOperator;

beforeAll(async () => {
  world = await sharedOperatorControlPlane({ fleet: { pools: ['zone-a', 'zone-b'], nodesPerPool: 1 } });
  ({ client } = world);
  for (const zone of ['zone-a', 'zone-b'])
    await world.controlPlane.labelNodes([`${zone}-node-1`], { node: zone });
  operator = await world.start({ args: withoutElection });
  const owner = await client.create(unitedDeployments, united({ name: 'normal', replicas: 2, subsets }));
  await isReady('nginx:1.27');
  for (const levels of [3_000, 9_000]) await addDeepObjects(owner, levels);
});

afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
});

it('of a normal workload beside deep ones the rollout goes on', async () => {
  await setImage(client, 'normal', 'nginx:1.28');
  await isReady('nginx:1.28');
  expect([...(await childrenOf(client, 'normal')).values()].map(imageOf)).toEqual([
    'nginx:1.28',
    'nginx:1.28',
  ]);
});

it.each([
  ['template', 'spec.deep'],
  ['patch', 'spec.template.deep'],
])('a workload with a deep %s reports what its children are refused for', async (place, field) => {
  for (const levels of [3_000, 9_000]) {
    await eventually(async () => {
      const conditions = await conditionsOf(client, unitedDeployments, `${place}-${levels}`, namespace);
      expect(conditions['Ready']).toMatchObject({ status: 'False', reason: 'ChildRefused' });
      expect(conditions['Ready']?.message).toContain(`.${field}: field not declared in schema`);
    }, patienceMs);
  }
});

it('an amount of a resource that is deep is named where it stands', async () => {
  for (const levels of [3_000, 9_000]) {
    await eventually(async () => {
      const conditions = await conditionsOf(client, extendedDaemonSets, `amount-${levels}`, namespace);
      expect(conditions['Ready']).toMatchObject({ status: 'False' });
      expect(conditions['Ready']?.message).toContain('.resources.requests.cpu: {"a":{"a":');
      expect(conditions['Ready']?.message).toContain('is not a quantity');
    }, patienceMs);
  }
});

it('a restarted operator starts all controllers, and serves the others', async () => {
  expect(await (await fetch(`${operator.url}/readyz`)).text()).toBe('ok');
  await operator.kill();
  operator = await world.start({ name: 'restarted', args: withoutElection });
  await setImage(client, 'normal', 'nginx:1.29');
  await isReady('nginx:1.29');
  // Each controller starts when its own caches are filled.
  const metrics = await eventually(async () => {
    expect(await (await fetch(`${operator.url}/readyz`)).text()).toBe('ok');
    const text = await (await fetch(`${operator.url}/metrics`)).text();
    for (const name of controllers)
      expect(text).toContain(`controller_runtime_max_concurrent_reconciles{controller="${name}"}`);
    return text;
  });
  expect(metrics).not.toMatch(/^reflector_unreadable_objects_total\{.*\} [1-9]/m);
});

/** In the template, in the patch of a subset, and in a revision of a workload that is not deep itself. */
async function addDeepObjects(owner: Stored<KubeObject>, levels: number): Promise<void> {
  const replicas = 2;
  const template = united({
    name: `template-${levels}`,
    replicas,
    subsets,
    workload: { deep: deep(levels) },
  });
  await client.create(unitedDeployments, template);
  const [a, b] = subsets;
  const patched = [{ ...a, patch: { deep: deep(levels) } }, b] as readonly Subset[];
  await client.create(unitedDeployments, united({ name: `patch-${levels}`, replicas, subsets: patched }));
  const requests = { cpu: deep(levels) as unknown as string };
  await client.create(extendedDaemonSets, {
    metadata: { namespace, name: `amount-${levels}` },
    spec: {
      strategy: {},
      template: { spec: { containers: [{ name: 'agent', image: 'agent:1', resources: { requests } }] } },
    },
  });
  const { name, uid } = owner.metadata;
  const reference = {
    apiVersion: 'apps.kruise.io/v1alpha1',
    kind: 'UnitedDeployment',
    name,
    uid,
    controller: true,
  };
  await client.create(controllerRevisions, {
    metadata: { namespace, name: `deep-${levels}`, labels: { app: name }, ownerReferences: [reference] },
    revision: levels,
    data: { spec: { template: { $patch: 'replace', deploymentTemplate: { spec: deep(levels) } } } },
  });
}

/** Unknown fields, of so many levels. */
function deep(levels: number): object {
  return JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`) as object;
}

async function isReady(image: string): Promise<void> {
  await eventually(async () => {
    expect(await readyIn(client, 'normal', image)).toEqual({ a: 1, b: 1 });
  }, patienceMs);
}
