// ExtendedDaemonSets on a real control plane, without a canary: the operator makes replica sets and pods, the scheduler binds them,
// kwok plays the kubelets.
import {
  extendedDaemonSetAnnotations as annotations,
  extendedDaemonSetLabels,
  extendedDaemonSetReplicaSets,
} from '@atoll/api';
import { nodes, pods, podTemplates, type StreamingClient } from '@atoll/kube';
import { AuditLog, type RunningOperator } from '@atoll/testbed';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  operatorUser,
  withoutElection,
  type OperatorControlPlane,
} from '../set-up/operator-control-plane.ts';
import { sharedOperatorControlPlane } from '../set-up/shared-operator-control-plane.ts';
import { eventually } from '../set-up/standing.ts';
import { observedObject, type ObservedObject } from './observed-object.ts';

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

const strategy = { reconcileFrequency: '100ms', rollingUpdate };

async function untilComplete(object: ObservedObject, image: string, count = nodeCount): Promise<void> {
  await object.untilAll(image, count);
  await object.untilCondition('Ready', { status: 'True', reason: 'RolloutComplete' });
  await eventually(async () => {
    const { status } = await object.get();
    expect(status).toMatchObject({ current: count, available: count, ignoredUnresponsiveNodes: 0 });
  });
}

async function uidsOf(object: ObservedObject): Promise<readonly string[]> {
  return (await object.pods()).map(({ metadata }) => metadata.uid).sort();
}

/** The API server writes a line of its audit log after the answer, on a busy machine long after it. */
async function hasWritten(verb: string, prefix: string, count: number): Promise<void> {
  await eventually(async () => {
    await log.readOn();
    const written = log.entries.filter(
      (entry) =>
        entry.user === operatorUser &&
        entry.verb === verb &&
        entry.resource === 'pods' &&
        entry.code < 300 &&
        !entry.dryRun &&
        entry.name?.startsWith(prefix),
    );
    expect(written).toHaveLength(count);
  });
}

async function podTemplateHas(name: string, image: string): Promise<void> {
  await eventually(async () => {
    const { template } = await client.get(podTemplates, { namespace, name });
    expect(template?.spec?.containers[0]?.image).toBe(image);
  });
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
  let rolls: ObservedObject;

  beforeAll(() => {
    rolls = observedObject(client, name);
  });

  it('gets one replica set and one pod on every node', async () => {
    await rolls.create({}, strategy);
    await untilComplete(rolls, 'agent:1');
    await eventually(async () => {
      const { items } = await client.list(extendedDaemonSetReplicaSets, { namespace });
      expect(items).toHaveLength(1);
      expect(items[0]).toMatchObject({
        metadata: { labels: { [extendedDaemonSetLabels.name]: name } },
        status: { status: 'active', desired: nodeCount, current: nodeCount, ready: nodeCount },
      });
    });
    const found = await rolls.pods();
    expect(new Set(found.map(({ spec }) => spec?.nodeName)).size).toBe(nodeCount);
    await hasWritten('create', name, nodeCount);
    await podTemplateHas(name, 'agent:1');
  });

  it('replaces every pod once, and the old replica set goes', async () => {
    await rolls.setImage('agent:2');
    await untilComplete(rolls, 'agent:2');
    await podTemplateHas(name, 'agent:2');
    await hasWritten('delete', name, nodeCount);
    await hasWritten('create', name, 2 * nodeCount);
    await eventually(async () => {
      const { items } = await client.list(extendedDaemonSetReplicaSets, { namespace });
      expect(items).toHaveLength(1);
    });
  });

  it('names why its pods are not Ready', async () => {
    const broken = observedObject(client, 'broken');
    await broken.create({ containers: [{ name: 'agent', image: 'agent:bad-pull' }] }, strategy);
    const message = expect.stringMatching(
      /pod \S+ on node \S+ and 7 more pods: container agent cannot pull its image agent:bad-pull/,
    );
    await broken.untilCondition('Ready', { status: 'False', reason: 'ImagePullBackOff', message });
    await broken.setImage('agent:good');
    await untilComplete(broken, 'agent:good');
    await broken.remove();
  });

  it('is paused by an annotation, and frozen by another one', async () => {
    const annotate = async (asked: Readonly<Record<string, string | null>>): Promise<void> =>
      rolls.patch({ metadata: { annotations: asked } });
    await annotate({ [annotations.rollingUpdatePaused]: 'true' });
    await rolls.setImage('agent:3');
    await rolls.untilState('RollingUpdate Paused', { upToDate: 0 });
    expect(await rolls.images()).toEqual({ 'agent:2': nodeCount });
    const [first] = await rolls.pods();
    await client.delete(pods, { namespace, name: first?.metadata.name ?? '' });
    await eventually(async () => {
      expect(await rolls.images()).toEqual({ 'agent:2': nodeCount - 1, 'agent:3': 1 });
    });
    await annotate({ [annotations.rollingUpdatePaused]: null, [annotations.rolloutFrozen]: 'true' });
    await rolls.untilState('Rollout frozen');
    await annotate({ [annotations.rolloutFrozen]: null });
    await untilComplete(rolls, 'agent:3');
  });

  it('leaves out a node that its affinity excludes by label, and comes back when the label goes', async () => {
    const matchExpressions = [{ key: extendedDaemonSetLabels.exclude, operator: 'NotIn', values: [name] }];
    const required = { nodeSelectorTerms: [{ matchExpressions }] };
    const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } };
    await rolls.patch({ spec: { template: { spec: { affinity } } } });
    await untilComplete(rolls, 'agent:3');
    await world.controlPlane.labelNodes(['a-node-1'], { [extendedDaemonSetLabels.exclude]: name });
    await untilComplete(rolls, 'agent:3', nodeCount - 1);
    expect((await rolls.pods()).map(({ spec }) => spec?.nodeName)).not.toContain('a-node-1');
    await world.controlPlane.labelNodes(['a-node-1'], { [extendedDaemonSetLabels.exclude]: null });
    await untilComplete(rolls, 'agent:3');
  });

  it('evicts nobody because of a later NoSchedule taint (BUG-25)', async () => {
    const taints = [{ key: 'maintenance', effect: 'NoSchedule' }];
    const before = await uidsOf(rolls);
    await client.patch(nodes, { name: 'b-node-1' }, { type: 'merge', body: { spec: { taints } } });
    await rolls.untilState('Running', { desired: nodeCount - 1 });
    expect(await uidsOf(rolls)).toEqual(before);
    await client.patch(nodes, { name: 'b-node-1' }, { type: 'merge', body: { spec: { taints: null } } });
    await untilComplete(rolls, 'agent:3');
    expect(await uidsOf(rolls)).toEqual(before);
  });
});

it('a selector that is changed alone moves no pod and is named, and moves them with the next template', async () => {
  const name = 'selects';
  const selects = observedObject(client, name);
  for (const pool of ['a', 'b']) {
    const ofPool = Array.from({ length: nodeCount / 2 }, (_, index) => `${pool}-node-${index + 1}`);
    await world.controlPlane.labelNodes(ofPool, { zone: pool });
  }
  await selects.create({}, strategy, { selector: { matchLabels: { zone: 'a' } } });
  await untilComplete(selects, 'agent:1', nodeCount / 2);
  const before = await uidsOf(selects);
  await selects.patch({ spec: { selector: { matchLabels: { zone: 'b' } } } });
  await selects.untilCondition('Ready', {
    status: 'False',
    reason: 'SelectorNotApplied',
    message: expect.stringContaining(
      'it selects the nodes with zone=b, and pods stay on the nodes with zone=a',
    ),
  });
  expect(await uidsOf(selects)).toEqual(before);
  await selects.patch({ spec: { template: { metadata: { annotations: { moved: 'to b' } } } } });
  await untilComplete(selects, 'agent:1', nodeCount / 2);
  expect((await selects.pods()).every(({ spec }) => spec?.nodeName?.startsWith('b-'))).toBe(true);
  await hasWritten('create', name, nodeCount);
  await hasWritten('delete', name, nodeCount / 2);
  await selects.remove();
});

it.each([64, 253])('an object whose name has %i characters is served like any other', async (length) => {
  const name = `long.${'x'.repeat(length - 5)}`;
  const long = observedObject(client, name);
  await long.create({}, strategy);
  await untilComplete(long, 'agent:1');
  await long.setImage('agent:2');
  await untilComplete(long, 'agent:2');
  await podTemplateHas(name, 'agent:2');
  await long.remove();
  await eventually(async () => expect(await long.pods()).toEqual([]));
});
