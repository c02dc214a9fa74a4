// ExtendedDaemonSets on a real control plane, without a canary: the operator makes replica sets and pods, the scheduler binds them,
// kwok plays the kubelets.
import {
  extendedDaemonSetAnnotations as annotations,
  extendedDaemonSetLabels,
  extendedDaemonSetReplicaSets,
  extendedDaemonSets,
  type ExtendedDaemonSet,
} from '@atoll/api';
import {
  asLabelValue,
  nodes,
  pods,
  podTemplates,
  type Pod,
  type Stored,
  type StreamingClient,
} from '@atoll/kube';
import { AuditLog, type RunningOperator } from '@atoll/testbed';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operatorUser, withoutElection, type OperatorControlPlane } from '../operator-control-plane.ts';
import { sharedOperatorControlPlane } from '../shared-operator-control-plane.ts';
import { eventually } from '../standing.ts';

const namespace = 'default';
const nodeCount = 8;

let world: OperatorControlPlane;
let client: StreamingClient;
let log: AuditLog;
let operator: RunningOperator;

/** Limits lifted, but for maxUnavailable. */
const rollingUpdate = {
  maxUnavailable: 2,
  slowStartIntervalDuration: '1ms',
  maxParallelPodCreation: 250,
  slowStartAdditiveIncrease: 250,
};

function agent(name: string, image: string): ExtendedDaemonSet {
  return {
    metadata: { namespace, name },
    spec: {
      strategy: { reconcileFrequency: '100ms', rollingUpdate },
      template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'agent', image }] } },
    },
  };
}

async function setImage(name: string, image: string): Promise<void> {
  const body = { spec: { template: { spec: { containers: [{ name: 'agent', image }] } } } };
  await client.patch(extendedDaemonSets, { namespace, name }, { type: 'merge', body });
}

async function annotate(name: string, asked: Readonly<Record<string, string | null>>): Promise<void> {
  await client.patch(
    extendedDaemonSets,
    { namespace, name },
    { type: 'merge', body: { metadata: { annotations: asked } } },
  );
}

async function podsOf(name: string): Promise<readonly Stored<Pod>[]> {
  const labelSelector = `${extendedDaemonSetLabels.name}=${asLabelValue(name)}`;
  const { items } = await client.list(pods, { namespace, labelSelector });
  return items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
}

function isReady({ status }: Pod): boolean {
  return (status?.conditions ?? []).some(({ type, status: is }) => type === 'Ready' && is === 'True');
}

async function imagesOf(name: string): Promise<readonly string[]> {
  const found = (await podsOf(name)).filter(isReady);
  return found.map(({ spec }) => spec?.containers[0]?.image ?? '').sort();
}

async function untilComplete(name: string, image: string, count = nodeCount): Promise<void> {
  await eventually(async () => {
    expect(await imagesOf(name)).toEqual(Array<string>(count).fill(image));
    const { metadata, status } = await client.get(extendedDaemonSets, { namespace, name });
    expect(status).toMatchObject({
      observedGeneration: metadata.generation,
      desired: count,
      current: count,
      ready: count,
      available: count,
      upToDate: count,
      ignoredUnresponsiveNodes: 0,
      state: 'Running',
      conditions: expect.arrayContaining([
        expect.objectContaining({ type: 'Ready', status: 'True', reason: 'RolloutComplete' }),
      ]),
    });
  }, 40_000);
}

async function writesOf(verb: string, resource: string, prefix: string): Promise<number> {
  await log.readOn();
  return log.entries.filter(
    (entry) =>
      entry.user === operatorUser &&
      entry.verb === verb &&
      entry.resource === resource &&
      entry.code < 300 &&
      !entry.dryRun &&
      entry.name?.startsWith(prefix),
  ).length;
}

beforeAll(async () => {
  world = await sharedOperatorControlPlane({ fleet: { pools: ['a', 'b'], nodesPerPool: nodeCount / 2 } });
  ({ client } = world);
  await world.controlPlane.nodesReady();
  log = new AuditLog(world.controlPlane.auditLog ?? '');
  operator = await world.start({ args: [...withoutElection, '--controllers=extended-daemon-set'] });
}, 120_000);

afterAll(async () => {
  void operator;
  await log?.close();
  await world?.[Symbol.asyncDispose]();
});

describe('an ExtendedDaemonSet without a canary', () => {
  const name = 'rolls';

  it('gets one replica set and one pod on every node', async () => {
    await client.create(extendedDaemonSets, agent(name, 'agent:1'));
    await untilComplete(name, 'agent:1');
    await eventually(async () => {
      const { items } = await client.list(extendedDaemonSetReplicaSets, { namespace });
      expect(items).toHaveLength(1);
      expect(items[0]).toMatchObject({
        metadata: { labels: { [extendedDaemonSetLabels.name]: name } },
        status: { status: 'active', desired: nodeCount, current: nodeCount, ready: nodeCount },
      });
    });
    const found = await podsOf(name);
    expect(new Set(found.map(({ spec }) => spec?.nodeName)).size).toBe(nodeCount);
    expect(await writesOf('create', 'pods', name)).toBe(nodeCount);
    const { template } = await client.get(podTemplates, { namespace, name });
    expect(template?.spec?.containers[0]?.image).toBe('agent:1');
  });

  it('replaces every pod once, and the old replica set goes', async () => {
    await setImage(name, 'agent:2');
    await untilComplete(name, 'agent:2');
    const { template } = await client.get(podTemplates, { namespace, name });
    expect(template?.spec?.containers[0]?.image).toBe('agent:2');
    expect(await writesOf('delete', 'pods', name)).toBe(nodeCount);
    expect(await writesOf('create', 'pods', name)).toBe(2 * nodeCount);
    await eventually(async () => {
      const { items } = await client.list(extendedDaemonSetReplicaSets, { namespace });
      expect(items).toHaveLength(1);
    });
  });

  it('names why its pods are not Ready', async () => {
    const broken = 'broken';
    await client.create(extendedDaemonSets, agent(broken, 'agent:bad-pull'));
    await eventually(async () => {
      const { status } = await client.get(extendedDaemonSets, { namespace, name: broken });
      const message = expect.stringMatching(
        /pod \S+ on node \S+ and 7 more pods: container agent cannot pull its image agent:bad-pull/,
      );
      expect(status?.conditions).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ type: 'Ready', status: 'False', reason: 'ImagePullBackOff', message }),
        ]),
      );
    });
    await setImage(broken, 'agent:good');
    await untilComplete(broken, 'agent:good');
    await client.delete(extendedDaemonSets, { namespace, name: broken });
  });

  it('is paused by an annotation, and frozen by another one', async () => {
    await annotate(name, { [annotations.rollingUpdatePaused]: 'true' });
    await setImage(name, 'agent:3');
    await eventually(async () => {
      const { status } = await client.get(extendedDaemonSets, { namespace, name });
      expect(status).toMatchObject({ state: 'RollingUpdate Paused', upToDate: 0 });
    });
    expect(await imagesOf(name)).toEqual(Array<string>(nodeCount).fill('agent:2'));
    const [first] = await podsOf(name);
    await client.delete(pods, { namespace, name: first?.metadata.name ?? '' });
    await eventually(async () => {
      expect((await imagesOf(name)).filter((image) => image === 'agent:3')).toHaveLength(1);
    });
    await annotate(name, { [annotations.rollingUpdatePaused]: null, [annotations.rolloutFrozen]: 'true' });
    await eventually(async () => {
      const { status } = await client.get(extendedDaemonSets, { namespace, name });
      expect(status?.state).toBe('Rollout frozen');
    });
    await annotate(name, { [annotations.rolloutFrozen]: null });
    await untilComplete(name, 'agent:3');
  });

  it('leaves out a node that its affinity excludes by label, and comes back when the label goes', async () => {
    const matchExpressions = [{ key: extendedDaemonSetLabels.exclude, operator: 'NotIn', values: [name] }];
    const required = { nodeSelectorTerms: [{ matchExpressions }] };
    const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } };
    const body = { spec: { template: { spec: { affinity } } } };
    await client.patch(extendedDaemonSets, { namespace, name }, { type: 'merge', body });
    await untilComplete(name, 'agent:3');
    await world.controlPlane.labelNodes(['a-node-1'], { [extendedDaemonSetLabels.exclude]: name });
    await untilComplete(name, 'agent:3', nodeCount - 1);
    expect((await podsOf(name)).map(({ spec }) => spec?.nodeName)).not.toContain('a-node-1');
    await world.controlPlane.labelNodes(['a-node-1'], { [extendedDaemonSetLabels.exclude]: null });
    await untilComplete(name, 'agent:3');
  });

  it('evicts nobody because of a later NoSchedule taint (BUG-25)', async () => {
    const taints = [{ key: 'maintenance', effect: 'NoSchedule' }];
    const before = (await podsOf(name)).map(({ metadata }) => metadata.uid).sort();
    await client.patch(nodes, { name: 'b-node-1' }, { type: 'merge', body: { spec: { taints } } });
    await eventually(async () => {
      const { status } = await client.get(extendedDaemonSets, { namespace, name });
      expect(status?.desired).toBe(nodeCount - 1);
    });
    expect((await podsOf(name)).map(({ metadata }) => metadata.uid).sort()).toEqual(before);
    await client.patch(nodes, { name: 'b-node-1' }, { type: 'merge', body: { spec: { taints: null } } });
    await untilComplete(name, 'agent:3');
    expect((await podsOf(name)).map(({ metadata }) => metadata.uid).sort()).toEqual(before);
  });
});

it('a selector that is changed alone moves no pod and is named, and moves them with the next template', async () => {
  const name = 'selects';
  const change = async (spec: object): Promise<void> => {
    await client.patch(extendedDaemonSets, { namespace, name }, { type: 'merge', body: { spec } });
  };
  const uids = async () => (await podsOf(name)).map(({ metadata }) => metadata.uid).sort();
  for (const pool of ['a', 'b']) {
    const ofPool = Array.from({ length: nodeCount / 2 }, (_, index) => `${pool}-node-${index + 1}`);
    await world.controlPlane.labelNodes(ofPool, { zone: pool });
  }
  const object = agent(name, 'agent:1');
  const selector = { matchLabels: { zone: 'a' } };
  await client.create(extendedDaemonSets, { ...object, spec: { ...object.spec, selector } });
  await untilComplete(name, 'agent:1', nodeCount / 2);
  const before = await uids();
  await change({ selector: { matchLabels: { zone: 'b' } } });
  await eventually(async () => {
    const { metadata, status } = await client.get(extendedDaemonSets, { namespace, name });
    expect(status).toMatchObject({
      observedGeneration: metadata.generation,
      conditions: expect.arrayContaining([
        expect.objectContaining({
          type: 'Ready',
          status: 'False',
          reason: 'SelectorNotApplied',
          message: expect.stringContaining(
            'it selects the nodes with zone=b, and pods stay on the nodes with zone=a',
          ),
        }),
      ]),
    });
  });
  expect(await uids()).toEqual(before);
  await change({ template: { metadata: { annotations: { moved: 'to b' } } } });
  await eventually(async () => {
    const found = await podsOf(name);
    expect(found.filter(isReady)).toHaveLength(nodeCount / 2);
    expect(found.every(({ spec }) => spec?.nodeName?.startsWith('b-'))).toBe(true);
  });
  await untilComplete(name, 'agent:1', nodeCount / 2);
  expect(await writesOf('create', 'pods', name)).toBe(nodeCount);
  expect(await writesOf('delete', 'pods', name)).toBe(nodeCount / 2);
  await client.delete(extendedDaemonSets, { namespace, name });
});

it.each([64, 253])('an object whose name has %i characters is served like any other', async (length) => {
  const name = `long.${'x'.repeat(length - 5)}`;
  const object = agent(name, 'agent:1');
  const template = { ...object.spec.template, metadata: { labels: { app: 'long' } } };
  await client.create(extendedDaemonSets, { ...object, spec: { ...object.spec, template } });
  await untilComplete(name, 'agent:1');
  await setImage(name, 'agent:2');
  await untilComplete(name, 'agent:2');
  expect(await client.get(podTemplates, { namespace, name })).toMatchObject({ metadata: { name } });
  await client.delete(extendedDaemonSets, { namespace, name });
  await eventually(async () => expect(await podsOf(name)).toEqual([]));
});
