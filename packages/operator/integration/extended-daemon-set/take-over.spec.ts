// What the old operator leaves, in mid rollout and in mid canary, is taken over and no pod restarts; objects of one name in two
// namespaces have no part in each other; settings and annotations of nodes reach pods, and go again.
import {
  extendedDaemonSetAnnotations as annotations,
  extendedDaemonSetLabels as labels,
  extendedDaemonSetReplicaSets,
  extendedDaemonSets,
  extendedDaemonsetSettings,
  nodeResourcesAnnotation,
  type ExtendedDaemonSet,
  type ExtendedDaemonSetReplicaSet,
  type ExtendedDaemonSetStatus,
} from '@atoll/api';
import {
  apiVersionOf,
  namespaces,
  nodes,
  pods,
  type Pod,
  type Stored,
  type StreamingClient,
} from '@atoll/kube';
import { AuditLog } from '@atoll/testbed';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  operatorUser,
  withoutElection,
  type OperatorControlPlane,
} from '../set-up/operator-control-plane.ts';
import { sharedOperatorControlPlane } from '../set-up/shared-operator-control-plane.ts';
import { eventually } from '../set-up/standing.ts';

const fleet = ['a-node-1', 'a-node-2', 'b-node-1', 'b-node-2'];
const counts = { desired: 4, current: 4, ready: 4, available: 4, upToDate: 4, ignoredUnresponsiveNodes: 0 };

let world: OperatorControlPlane;
let client: StreamingClient;
let log: AuditLog;

/** As the old operator leaves a spec: with every default. */
const strategy: ExtendedDaemonSet['spec']['strategy'] = {
  reconcileFrequency: '10s',
  rollingUpdate: {
    maxUnavailable: 1,
    maxPodSchedulerFailure: 0,
    maxParallelPodCreation: 250,
    slowStartIntervalDuration: '1m0s',
    slowStartAdditiveIncrease: 1,
  },
  canary: {
    validationMode: 'auto',
    replicas: 1,
    duration: '10m0s',
    noRestartsDuration: '5m0s',
    nodeSelector: { matchLabels: {} },
    autoPause: { enabled: true, maxRestarts: 2 },
    autoFail: { enabled: true, maxRestarts: 5 },
  },
};

function template(image: string, cpu: string) {
  const ports = [{ containerPort: 80, protocol: 'TCP' }];
  return { spec: { containers: [{ name: 'agent', image, ports, resources: { requests: { cpu } } }] } };
}

function object(namespace: string, name: string, image: string): ExtendedDaemonSet {
  // Another text than the replica set has, and the same meaning.
  return { metadata: { namespace, name }, spec: { strategy, template: template(image, '100m') } };
}

async function leave(
  namespace: string,
  name: string,
  images: readonly [string, string | undefined],
  onNode: (node: string) => string,
  status: (names: readonly string[]) => Partial<ExtendedDaemonSetStatus>,
): Promise<void> {
  const newest = images[1] ?? images[0];
  const owner = await client.create(extendedDaemonSets, object(namespace, name, newest));
  const made = new Map<string, Stored<ExtendedDaemonSetReplicaSet>>();
  for (const image of images) {
    if (image === undefined) continue;
    const suffix = image.replace(/\W/g, '');
    const replicaSet = await client.create(extendedDaemonSetReplicaSets, {
      metadata: {
        namespace,
        name: `${name}-${suffix}`,
        labels: { [labels.name]: name },
        annotations: { [annotations.templateHash]: `md5-${suffix}` },
        ownerReferences: [reference(extendedDaemonSets, owner)],
      },
      spec: { template: template(image, '0.1'), templateGeneration: `md5-${suffix}` },
    });
    made.set(image, replicaSet);
  }
  for (const node of fleet) {
    const image = onNode(node);
    const replicaSet = made.get(image);
    if (replicaSet === undefined) throw new Error(`no replica set of ${image}`);
    await client.create(pods, oldPod(node, image, replicaSet, name));
  }
  const names = [...made.values()].map((each) => each.metadata.name);
  const body = { status: { ...counts, state: 'Running', ...status(names) } };
  await client.patch(
    extendedDaemonSets,
    { namespace, name },
    { type: 'merge', body },
    { subresource: 'status' },
  );
}

/** The old operator compares it with settings of other objects, and makes no pod with it. */
async function leaveSettingInError(namespace: string, name: string): Promise<void> {
  const key = { namespace, name: `of-${name}` };
  await client.create(extendedDaemonsetSettings, {
    metadata: key,
    spec: {
      reference: { kind: 'ExtendedDaemonset', name },
      nodeSelector: {},
      containers: [{ name: 'agent', resources: { requests: { cpu: '200m' } } }],
    },
  });
  const error = 'conflict with another ExtendedDaemonsetSetting: of-another';
  const body = { status: { status: 'error', error } };
  await client.patch(extendedDaemonsetSettings, key, { type: 'merge', body }, { subresource: 'status' });
}

function reference(
  resource: typeof extendedDaemonSets | typeof extendedDaemonSetReplicaSets,
  { metadata }: Stored<ExtendedDaemonSet> | Stored<ExtendedDaemonSetReplicaSet>,
) {
  const { name, uid } = metadata;
  return {
    apiVersion: apiVersionOf(resource),
    kind: resource.kind,
    name,
    uid,
    controller: true,
    blockOwnerDeletion: true,
  };
}

function oldPod(
  node: string,
  image: string,
  { metadata, spec }: Stored<ExtendedDaemonSetReplicaSet>,
  name: string,
): Pod {
  const matchFields = [{ key: 'metadata.name', operator: 'In', values: [node] }];
  const required = { nodeSelectorTerms: [{ matchFields }] };
  return {
    metadata: {
      namespace: metadata.namespace ?? '',
      name: `${metadata.name}-${node}`,
      labels: { [labels.name]: name, [labels.replicaSet]: metadata.name },
      annotations: { [annotations.templateHash]: spec.templateGeneration ?? '' },
      ownerReferences: [reference(extendedDaemonSetReplicaSets, { metadata, spec })],
    },
    spec: {
      ...template(image, '0.1').spec,
      affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } },
    },
  };
}

async function podsOf(namespace: string, name: string): Promise<readonly Stored<Pod>[]> {
  const { items } = await client.list(pods, { namespace, labelSelector: `${labels.name}=${name}` });
  return items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
}

async function uidsOf(namespace: string, name: string): Promise<ReadonlySet<string>> {
  return new Set((await podsOf(namespace, name)).map(({ metadata }) => metadata.uid));
}

async function statusOf(namespace: string, name: string): Promise<ExtendedDaemonSetStatus | undefined> {
  return (await client.get(extendedDaemonSets, { namespace, name })).status;
}

async function untilSeen(namespace: string, name: string, status: object): Promise<void> {
  await eventually(async () => {
    const { metadata, status: found } = await client.get(extendedDaemonSets, { namespace, name });
    expect(found).toMatchObject({ observedGeneration: metadata.generation, ...status });
  });
}

beforeAll(async () => {
  world = await sharedOperatorControlPlane({ fleet: { pools: ['a', 'b'], nodesPerPool: 2 } });
  ({ client } = world);
  await world.controlPlane.nodesReady();
  log = new AuditLog(world.controlPlane.auditLog ?? '');
  await client.create(namespaces, { metadata: { name: 'other' } });
  await leave(
    'default',
    'steady',
    ['agent:1', undefined],
    () => 'agent:1',
    ([first = '']) => ({ activeReplicaSet: first }),
  );
  await leave(
    'default',
    'rolling',
    ['agent:1', 'agent:2'],
    (node) => (node.startsWith('a') ? 'agent:2' : 'agent:1'),
    ([, second = '']) => ({
      activeReplicaSet: second,
    }),
  );
  await leave(
    'default',
    'trying',
    ['agent:1', 'agent:2'],
    (node) => (node === 'a-node-1' ? 'agent:2' : 'agent:1'),
    ([first = '', second = '']) => ({
      activeReplicaSet: first,
      state: 'Canary',
      canary: { replicaSet: second, nodes: ['a-node-1'] },
    }),
  );
  await leave(
    'default',
    'same',
    ['agent:1', undefined],
    () => 'agent:1',
    ([first = '']) => ({ activeReplicaSet: first }),
  );
  await leave(
    'other',
    'same',
    ['agent:2', undefined],
    () => 'agent:2',
    ([first = '']) => ({ activeReplicaSet: first }),
  );
  await leaveSettingInError('default', 'steady');
  await world.start({ args: [...withoutElection, '--controllers=extended-daemon-set'] });
}, 120_000);

afterAll(async () => {
  await log?.close();
  await world?.[Symbol.asyncDispose]();
});

describe('what the old operator leaves', () => {
  it('at rest is taken over, and no pod restarts', async () => {
    const before = await uidsOf('default', 'steady');
    await untilSeen('default', 'steady', { ...counts, state: 'Running' });
    expect(await uidsOf('default', 'steady')).toEqual(before);
    const { items } = await client.list(extendedDaemonSetReplicaSets, {
      namespace: 'default',
      labelSelector: `${labels.name}=steady`,
    });
    expect(items.map(({ metadata }) => metadata.name)).toEqual(['steady-agent1']);
  });

  it('with a setting that it did not apply: the setting is valid now, and no pod restarts', async () => {
    const before = await uidsOf('default', 'steady');
    await eventually(async () => {
      const { status } = await client.get(extendedDaemonsetSettings, {
        namespace: 'default',
        name: 'of-steady',
      });
      expect(status).toMatchObject({
        status: 'valid',
        conditions: expect.arrayContaining([
          expect.objectContaining({ type: 'NotAppliedBefore', status: 'True' }),
        ]),
      });
    });
    const { conditions = [] } = (await statusOf('default', 'steady')) ?? {};
    expect(conditions.find(({ type }) => type === 'Ready')).toMatchObject({
      status: 'True',
      message: expect.stringContaining('run on without the ExtendedDaemonsetSetting of-steady'),
    });
    expect(await uidsOf('default', 'steady')).toEqual(before);
  });

  it('in mid canary goes on on its node, and no other pod restarts', async () => {
    const before = await uidsOf('default', 'trying');
    await untilSeen('default', 'trying', {
      state: 'Canary',
      activeReplicaSet: 'trying-agent1',
      canary: { nodes: ['a-node-1'] },
      desired: 4,
      ready: 4,
    });
    expect(await uidsOf('default', 'trying')).toEqual(before);
  });

  it('in mid rollout goes on, and each outdated pod is replaced once', { timeout: 300_000 }, async () => {
    const kept = (await podsOf('default', 'rolling')).filter(({ spec }) => spec?.nodeName?.startsWith('a'));
    await eventually(async () => {
      const found = await podsOf('default', 'rolling');
      expect(found.map(({ spec }) => spec?.containers[0]?.image)).toEqual(Array<string>(4).fill('agent:2'));
      // Its slow start takes a minute for the second pod.
    }, 200_000);
    const uids = await uidsOf('default', 'rolling');
    expect(kept.every(({ metadata }) => uids.has(metadata.uid))).toBe(true);
  });

  it('costs no pod but the outdated ones, as the audit log shows', async () => {
    const written = (verb: string) =>
      log.entries
        .filter(
          ({ user, resource, code, dryRun, ...entry }) =>
            user === operatorUser && resource === 'pods' && code < 300 && !dryRun && entry.verb === verb,
        )
        .map(({ name = '' }) => name)
        .sort();
    // The API server writes a line of its audit log after the answer, on a busy machine long after it.
    await eventually(async () => {
      await log.readOn();
      expect(written('delete')).toEqual(['rolling-agent1-b-node-1', 'rolling-agent1-b-node-2']);
      expect(written('create')).toHaveLength(2);
    });
  });
});

describe('two objects of the same name in two namespaces', () => {
  it('have no part in each other (BUG-1)', async () => {
    await untilSeen('default', 'same', { ...counts, activeReplicaSet: 'same-agent1' });
    await untilSeen('other', 'same', { ...counts, activeReplicaSet: 'same-agent2' });
    expect((await podsOf('default', 'same')).map(({ spec }) => spec?.containers[0]?.image)).toEqual(
      Array<string>(4).fill('agent:1'),
    );
    expect((await podsOf('other', 'same')).map(({ spec }) => spec?.containers[0]?.image)).toEqual(
      Array<string>(4).fill('agent:2'),
    );
    // The template of the other one: neither its replica set nor its pods are taken.
    const before = await uidsOf('default', 'same');
    const key = { namespace: 'other', name: 'same' };
    const body = { spec: { strategy: { canary: null }, template: template('agent:1', '100m') } };
    await client.patch(extendedDaemonSets, key, { type: 'merge', body });
    await eventually(async () => {
      expect((await podsOf('other', 'same')).map(({ spec }) => spec?.containers[0]?.image)).toContain(
        'agent:1',
      );
    });
    expect(await uidsOf('default', 'same')).toEqual(before);
  });
});

describe('overrides', () => {
  const name = 'shaped';
  const namespace = 'default';

  async function cpuOn(node: string): Promise<string | undefined> {
    const found = (await podsOf(namespace, name)).find(({ spec }) => spec?.nodeName === node);
    return found?.spec?.containers[0]?.resources?.requests?.['cpu'];
  }

  async function untilCpus(wanted: Readonly<Record<string, string>>): Promise<void> {
    await eventually(async () => {
      for (const node of fleet) expect(await cpuOn(node), node).toBe(wanted[node] ?? '100m');
      expect(await statusOf(namespace, name)).toMatchObject({ current: 4, ready: 4 });
    });
  }

  it('of a setting and of an annotation shape the pods of their nodes, the annotation before the setting', async () => {
    const limits = { slowStartIntervalDuration: '1ms', slowStartAdditiveIncrease: 250, maxUnavailable: 4 };
    const spec = {
      strategy: { reconcileFrequency: '100ms', rollingUpdate: limits },
      template: template('agent:1', '100m'),
    };
    await client.create(extendedDaemonSets, { metadata: { namespace, name }, spec });
    await client.create(extendedDaemonsetSettings, {
      metadata: { namespace, name: 'large' },
      spec: {
        reference: { kind: 'ExtendedDaemonset', name },
        nodeSelector: { matchLabels: { size: 'large' } },
        containers: [{ name: 'agent', resources: { requests: { cpu: '200m' } } }],
      },
    });
    await untilCpus({});
    await world.controlPlane.labelNodes(['a-node-1', 'a-node-2'], { size: 'large' });
    await untilCpus({ 'a-node-1': '200m', 'a-node-2': '200m' });
    const key = nodeResourcesAnnotation(namespace, name, 'agent');
    const annotate = async (text: string | null): Promise<void> => {
      const body = { metadata: { annotations: { [key]: text } } };
      await client.patch(nodes, { name: 'a-node-1' }, { type: 'merge', body });
    };
    await annotate('{"requests":{"cpu":"300m"}}');
    await untilCpus({ 'a-node-1': '300m', 'a-node-2': '200m' });
    const before = await uidsOf(namespace, name);
    await annotate('{"requests":{"cpu":"0.3"}}');
    await untilCpus({ 'a-node-1': '300m', 'a-node-2': '200m' });
    expect(await uidsOf(namespace, name)).toEqual(before);
    await annotate(null);
    await untilCpus({ 'a-node-1': '200m', 'a-node-2': '200m' });
  });

  it('give containers variables on some nodes, and only there', async () => {
    const setting = { namespace, name: 'large' };
    const containers = [
      { name: 'agent', resources: { requests: { cpu: '200m' } }, env: [{ name: 'SIZE', value: 'large' }] },
    ];
    await client.patch(extendedDaemonsetSettings, setting, { type: 'merge', body: { spec: { containers } } });
    await eventually(async () => {
      const found = (await podsOf(namespace, name)).map(({ spec }) => [
        spec?.nodeName,
        spec?.containers[0]?.env?.map((each) => each.value),
      ]);
      expect(Object.fromEntries(found)).toEqual(
        Object.fromEntries(
          fleet.map((node) => [node, ['a-node-1', 'a-node-2'].includes(node) ? ['large'] : undefined]),
        ),
      );
    });
    await untilCpus({ 'a-node-1': '200m', 'a-node-2': '200m' });
  });

  it('are taken back when their setting goes (BUG-11), and an older setting in conflict says so', async () => {
    await client.create(extendedDaemonsetSettings, {
      metadata: { namespace, name: 'larger' },
      spec: {
        reference: { kind: 'ExtendedDaemonset', name },
        nodeSelector: { matchLabels: {} },
        containers: [],
      },
    });
    await eventually(async () => {
      const { status } = await client.get(extendedDaemonsetSettings, { namespace, name: 'large' });
      expect(status).toMatchObject({
        status: 'error',
        error: 'conflict with another ExtendedDaemonsetSetting: larger',
        conditions: expect.arrayContaining([expect.objectContaining({ type: 'Ready', status: 'False' })]),
      });
    });
    await untilCpus({});
    await client.delete(extendedDaemonsetSettings, { namespace, name: 'larger' });
    await eventually(async () => {
      const { status } = await client.get(extendedDaemonsetSettings, { namespace, name: 'large' });
      expect(status).toMatchObject({ status: 'valid' });
      expect(status).not.toHaveProperty('error');
    });
    await untilCpus({ 'a-node-1': '200m', 'a-node-2': '200m' });
    await client.delete(extendedDaemonsetSettings, { namespace, name: 'large' });
    await untilCpus({});
  });
});
