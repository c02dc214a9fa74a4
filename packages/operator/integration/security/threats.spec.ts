// What docs/operating/security.md answers to "what can somebody do who …", tried by that somebody on the real API server.
import {
  annotations,
  extendedDaemonSets,
  labels,
  nodePools,
  operatorNames,
  unitedDaemonSets,
  unitedDeployments,
  type ExtendedDaemonSet,
  type PoolWorkload,
  type UnitedDeployment,
} from '@atoll/api';
import {
  createClient,
  deployments,
  isApiError,
  loadKubeconfig,
  namespaces,
  nodes,
  pods,
  roleBindings,
  secrets,
  type Deployment,
  type KubeObject,
  type Resource,
  type StreamingClient,
} from '@atoll/kube';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apply, childrenOf, daemon, pool } from '../set-up/objects.ts';
import { withoutElection, type OperatorControlPlane } from '../set-up/operator-control-plane.ts';
import { sharedOperatorControlPlane } from '../set-up/shared-operator-control-plane.ts';
import { conditionsOf, eventually } from '../set-up/standing.ts';

/** Where somebody may write objects of ours, and nothing else. */
const own = 'tenant';
const foreign = 'default';
const app = { app: 'web' };

let world: OperatorControlPlane;
/** As administrator. */
let client: StreamingClient;
let tenant: StreamingClient;

beforeAll(async () => {
  world = await sharedOperatorControlPlane({ fleet: { pools: ['hz', 'bj'], nodesPerPool: 2 } });
  ({ client } = world);
  await client.create(namespaces, { metadata: { name: own } });
  const account = { namespace: own, name: 'engineer' };
  const kubeconfig = await world.controlPlane.kubeconfigFor(account);
  tenant = createClient(await loadKubeconfig({ path: kubeconfig }), { userAgent: 'tenant' });
  await client.create(roleBindings, {
    metadata: { namespace: own, name: 'edit' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'atoll-edit' },
    subjects: [{ kind: 'ServiceAccount', ...account }],
  });
  // The API server reads the binding through a watch.
  await eventually(mayDelete);
  for (const name of ['hz', 'bj']) await apply(client, nodePools, pool(name, { tier: 'a' }));
  await world.start({ args: [...withoutElection, '--controllers=*,extended-daemon-set'] });
});

/** Rejects until the tenant has its rights: what is not there is not found. */
async function mayDelete(): Promise<void> {
  await tenant.delete(unitedDaemonSets, { namespace: own, name: 'none' }).catch((error: unknown) => {
    if (!isApiError(error, 'NotFound')) throw error;
  });
}

afterAll(async () => {
  await tenant?.close();
  await world?.[Symbol.asyncDispose]();
});

/** A template whose metadata names the namespace of somebody else. */
const astray = { namespace: foreign, labels: app };
const podSpec = { containers: [{ name: 'web', image: 'nginx:1.27' }] };
const deploymentSpec = { selector: { matchLabels: app }, template: { metadata: astray, spec: podSpec } };
const deploymentTemplate = { metadata: astray, spec: { replicas: 1, ...deploymentSpec } };

const objects = {
  UnitedDaemonSet: {
    metadata: { namespace: own, name: 'uds' },
    spec: {
      selector: { matchLabels: app },
      nodepoolSelector: { matchLabels: { tier: 'a' } },
      workloadTemplate: { deploymentTemplate },
    },
  } as PoolWorkload,
  UnitedDeployment: {
    metadata: { namespace: own, name: 'ud' },
    spec: {
      replicas: 1,
      selector: { matchLabels: app },
      // Without `replicas`, which the subsets share and no template of this kind may have.
      template: { deploymentTemplate: { metadata: astray, spec: deploymentSpec } },
      topology: { subsets: [{ name: 'a' }] },
    },
  } as UnitedDeployment,
  ExtendedDaemonSet: {
    metadata: { namespace: own, name: 'eds' },
    spec: {
      strategy: { reconcileFrequency: '1s' },
      template: { metadata: astray, spec: podSpec },
    },
  } as ExtendedDaemonSet,
};

const kinds = [unitedDaemonSets, unitedDeployments, extendedDaemonSets].map((resource) => ({
  resource: resource as Resource<KubeObject>,
  object: objects[resource.kind as keyof typeof objects] as KubeObject,
}));

describe('somebody who may write our kinds in one namespace', () => {
  beforeAll(async () => {
    // As a user's manifest: what the schema does not take is taken out or refused before the operator sees it.
    for (const { resource, object } of kinds)
      await tenant.apply(resource, object, { fieldManager: 'spec', force: true }).catch(() => undefined);
  });

  it('may write nothing else, and these nowhere else', async () => {
    const label = { type: 'merge', body: { metadata: { labels: { a: 'b' } } } } as const;
    const requests: readonly (() => Promise<unknown>)[] = [
      ...kinds.map(({ resource, object }) => async () => {
        await tenant.create(resource, { ...object, metadata: { namespace: foreign, name: 'x' } });
      }),
      async () => tenant.create(pods, { metadata: { namespace: own, name: 'x' }, spec: podSpec }),
      async () => tenant.patch(nodePools, { name: 'hz' }, label),
      async () => tenant.patch(nodes, { name: 'hz-node-1' }, label),
    ];
    for (const request of requests) await expect(request()).rejects.toMatchObject({ code: 403 });
  });

  it('gets children and pods there only, whatever namespace the templates name', async () => {
    const count = async (namespace: string): Promise<number> =>
      (await client.list(pods, { namespace, labelSelector: 'app=web' })).items.length;
    await eventually(async () => expect(await count(own)).toBeGreaterThan(0));
    await world.recording.waitForQuiescence({ user: 'nobody', quietMs: 2_000 });
    expect(await count(foreign)).toBe(0);
    expect((await client.list(deployments, { namespace: foreign })).items).toEqual([]);
  });
});

describe('an object that says it belongs to a workload of another namespace', () => {
  it('changes nothing for that workload, and is not touched by the operator', async () => {
    const name = 'victim';
    await apply(client, unitedDaemonSets, daemon({ name, pools: { tier: 'a' }, replicas: 1 }));
    await eventually(async () =>
      expect(await conditionsOf(client, unitedDaemonSets, name, foreign)).toMatchObject({
        Ready: { status: 'True' },
      }),
    );
    const before = await childrenOf(client, name);
    const victim = await client.get(unitedDaemonSets, { namespace: foreign, name });
    const [real] = [...before.values()];
    if (real === undefined) throw new Error('the workload has no child');
    const { ownerReferences = [], labels: childLabels = {}, annotations = {} } = real.metadata;
    expect(ownerReferences.map(({ uid }) => uid)).toEqual([victim.metadata.uid]);
    const forged: Deployment = {
      metadata: { namespace: own, name: 'forged', labels: childLabels, annotations, ownerReferences },
      ...(real.spec === undefined ? {} : { spec: { ...real.spec, replicas: 0 } }),
    };
    const since = Date.now();
    await client.create(deployments, forged);
    await apply(
      client,
      unitedDaemonSets,
      daemon({ name, pools: { tier: 'a' }, replicas: 1, image: 'nginx:1.28' }),
    );
    await eventually(async () => {
      expect(await conditionsOf(client, unitedDaemonSets, name, foreign)).toMatchObject({
        Ready: { status: 'True' },
      });
    });
    const after = await childrenOf(client, name);
    expect([...after].map(([at, { metadata }]) => [at, metadata.uid])).toEqual(
      [...before].map(([at, { metadata }]) => [at, metadata.uid]),
    );
    const { entries } = await world.recording.history();
    const touched = entries.filter(
      (entry) =>
        entry.kind === 'write' &&
        entry.at >= since &&
        entry.audit.name === 'forged' &&
        entry.audit.user.endsWith(':atoll'),
    );
    expect(touched).toEqual([]);
    expect(labels.workload in childLabels).toBe(true);
  });
});

describe('a namespace that enforces the Pod Security Standard restricted', () => {
  const restricted = 'restricted';

  it('gets no privileged pod by way of an ExtendedDaemonSet, whose pods the operator makes itself', async () => {
    await client.create(namespaces, {
      metadata: { name: restricted, labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } },
    });
    const [container] = podSpec.containers;
    await client.create(extendedDaemonSets, {
      metadata: { namespace: restricted, name: 'root' },
      spec: {
        strategy: { reconcileFrequency: '1s' },
        template: {
          metadata: { labels: app },
          spec: { containers: [{ ...container, securityContext: { privileged: true } }] },
        },
      },
    } as ExtendedDaemonSet);
    await eventually(async () => {
      const { status } = await client.get(extendedDaemonSets, { namespace: restricted, name: 'root' });
      const ready = status?.conditions?.find(({ type }) => type === 'Ready');
      expect(ready).toMatchObject({
        status: 'False',
        message: expect.stringContaining('PodSecurity') as string,
      });
    });
    expect((await client.list(pods, { namespace: restricted })).items).toEqual([]);
  });
});

describe("somebody who has the operator's token", () => {
  const dryRun = { dryRun: true };
  let thief: StreamingClient;

  beforeAll(async () => {
    const { namespace, serviceAccount: name } = operatorNames;
    const kubeconfig = await world.controlPlane.kubeconfigFor({ namespace, name });
    thief = createClient(await loadKubeconfig({ path: kubeconfig }), { userAgent: 'thief' });
  });

  afterAll(async () => {
    await thief?.close();
  });

  it('may read a Secret by way of a pod that mounts it, under any ServiceAccount of that namespace', async () => {
    const key = { namespace: own, name: 'private' };
    await client.create(secrets, { metadata: key });
    await expect(thief.get(secrets, key)).rejects.toMatchObject({ code: 403 });
    const spec = {
      ...podSpec,
      serviceAccountName: 'engineer',
      volumes: [{ name: 'private', secret: { secretName: key.name } }],
    };
    const pod = await thief.create(pods, { metadata: { namespace: own, name: 'reader' }, spec });
    expect(pod.spec?.serviceAccountName).toBe('engineer');
    await thief.delete(pods, { namespace: own, name: 'reader' });
  });

  it('may create and delete workloads anywhere', async () => {
    for (const namespace of [own, foreign]) {
      const metadata = { namespace, name: 'stray' };
      const made = await thief.create(deployments, { ...deploymentTemplate, metadata } as Deployment);
      expect(made.metadata.namespace).toBe(namespace);
      await thief.delete(deployments, metadata);
    }
  });

  it('may label and taint nodes', async () => {
    const taints = [{ key: 'stray', effect: 'NoSchedule' }];
    const body = { metadata: { labels: { stray: 'yes' } }, spec: { taints } };
    const changed = await thief.patch(nodes, { name: 'hz-node-2' }, { type: 'merge', body }, dryRun);
    expect(changed).toMatchObject(body);
  });

  it('may change NodePools, UnitedDeployments and ExtendedDaemonSets, and no UnitedDaemonSet', async () => {
    const patch = { type: 'merge', body: { metadata: { annotations: { stray: 'yes' } } } } as const;
    await thief.patch(nodePools, { name: 'hz' }, patch, dryRun);
    await thief.patch(unitedDeployments, { namespace: own, name: 'ud' }, patch, dryRun);
    await thief.patch(extendedDaemonSets, { namespace: own, name: 'eds' }, patch, dryRun);
    const kept = { namespace: own, name: 'uds' };
    await expect(thief.patch(unitedDaemonSets, kept, patch, dryRun)).rejects.toMatchObject({ code: 403 });
  });
});

describe('a kubelet', () => {
  const node = { name: 'hz-node-1' };
  const write = (by: StreamingClient, annotations: object, subresource?: 'status') =>
    by.patch(
      nodes,
      node,
      { type: 'merge', body: { metadata: { annotations } } },
      subresource === undefined ? {} : { subresource },
    );

  it('may not write what the operator notes there, and all else as before', async () => {
    const access = await loadKubeconfig({ path: world.controlPlane.kubeconfig });
    const groups = ['system:nodes', 'system:masters'];
    const impersonate = { user: `system:node:${node.name}`, groups, extra: {} };
    const kubelet = createClient({ ...access, impersonate } as typeof access, { userAgent: 'kubelet' });
    const forged = JSON.stringify({ taints: [{ key: 'quarantine', effect: 'NoExecute' }] });
    for (const key of [
      annotations.previousAttributes,
      annotations.earlierAttributes,
      annotations.keptLabels,
      annotations.keptTaints,
      annotations.followedPool,
    ]) {
      await expect(write(kubelet, { [key]: forged })).rejects.toThrow('a kubelet must not change');
      await expect(write(kubelet, { [key]: forged }, 'status')).rejects.toThrow('a kubelet must not change');
    }
    await write(kubelet, { 'example.com/mine': 'yes' });
    await write(kubelet, { 'example.com/mine': 'no' }, 'status');
    await write(client, { 'example.com/mine': null });
    await kubelet.close();
  });
});
