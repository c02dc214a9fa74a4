// Pods that misbehave, on a real control plane: those of canaries that cannot be configured or mounted, by the tags of images, and evicted ones.
import { events, isReady, pods, type Event, type Pod, type Stored, type StreamingClient } from '@atoll/kube';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { withoutElection, type OperatorControlPlane } from '../set-up/operator-control-plane.ts';
import { sharedOperatorControlPlane } from '../set-up/shared-operator-control-plane.ts';
import { eventually } from '../set-up/standing.ts';
import { observedObject, unlimited, type ObservedObject } from './observed-object.ts';

const nodeCount = 3;

let world: OperatorControlPlane;
let client: StreamingClient;

beforeAll(async () => {
  world = await sharedOperatorControlPlane({ fleet: { pools: ['a'], nodesPerPool: nodeCount } });
  ({ client } = world);
  await world.controlPlane.nodesReady();
  await world.start({ args: [...withoutElection, '--controllers=extended-daemon-set'] });
}, 120_000);

afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
});

async function begin(name: string, canary: object): Promise<ObservedObject> {
  const object = observedObject(client, name);
  await object.create({}, { ...unlimited, canary: { replicas: 1, noRestartsDuration: '0s', ...canary } });
  await object.untilAll('agent:1', nodeCount);
  return object;
}

it('a canary without its ConfigMap is paused with the reason of its kubelet, and fails when its time is over, paused or not', async () => {
  const object = await begin('unconfigured', { duration: '1s' });
  await object.setImage('agent:bad-config');
  await object.untilState('Canary Paused', { reason: 'CreateContainerConfigError' });
  await object.untilCondition('Ready', {
    status: 'False',
    reason: 'CanaryPaused',
    message: expect.stringMatching(/node a-node-\d, container agent: configmap "settings" not found/),
  });
  expect(await object.images()).toEqual({ 'agent:1': nodeCount - 1, 'agent:bad-config': 1 });
  await object.patch({
    spec: { strategy: { canary: { autoFail: { enabled: true, canaryTimeout: '2s' } } } },
  });
  await object.untilAll('agent:1', nodeCount);
  expect((await object.get()).spec.template.spec?.containers[0]?.image).toBe('agent:1');
  // Replica sets have a status of their own.
  await eventually(async () => {
    const failed = (await object.replicaSets()).flatMap(({ status }) =>
      (status?.conditions ?? []).filter(({ type }) => type === 'Canary-Failed'),
    );
    expect(failed).toMatchObject([{ status: 'True', reason: 'TimeoutExceeded' }]);
  });
});

it('a canary without its Secret is neither promoted nor paused by itself, reports why, and is paused where maxSlowStartDuration is over', async () => {
  const object = await begin('unmounted', { duration: '1s' });
  await object.setImage('agent:bad-mount');
  const { canary } = await object.untilState('Canary', { canary: expect.anything() });
  await eventually(async () => {
    expect(await object.images()).toEqual({ 'agent:1': nodeCount - 1, 'agent:bad-mount': 1 });
  });
  await recordFailedMount(object);
  await object.untilCondition('Ready', {
    status: 'False',
    message: expect.stringContaining('MountVolume.SetUp failed for volume "keys" : secret "keys" not found'),
  });
  // Its duration has been over for long; a container that is being created is no sign for autoPause.
  expect((await object.get()).status).toMatchObject({ state: 'Canary', canary });
  await object.patch({
    spec: { strategy: { canary: { autoPause: { enabled: true, maxSlowStartDuration: '1s' } } } },
  });
  await object.untilState('Canary Paused', { reason: 'SlowStartTimeoutExceeded' });
  await object.setImage('agent:2');
  await object.untilAll('agent:2', nodeCount);
});

it('an evicted pod is replaced at once, and one that is evicted again after 10 s; the others stay', async () => {
  const object = observedObject(client, 'evicted');
  await object.create({}, unlimited);
  await object.untilAll('agent:1', nodeCount);
  const before = await object.pods();
  const first = await evictPodOn('a-node-1', object);
  const second = await untilReplaced(first, object);
  await evictPodOn('a-node-1', object);
  const third = await untilReplaced(second, object);
  expect(Date.parse(third.metadata.creationTimestamp)).toBeGreaterThanOrEqual(
    Date.parse(second.metadata.creationTimestamp) + 10_000,
  );
  await object.untilAll('agent:1', nodeCount);
  const others = (list: readonly Stored<Pod>[]) =>
    list.filter(({ spec }) => spec?.nodeName !== 'a-node-1').map(({ metadata }) => metadata.uid);
  expect(others(await object.pods()).toSorted()).toEqual(others(before).toSorted());
});

/** As a kubelet does whose node runs out of memory. The pod runs by then: its kubelet would write over what is written before. */
async function evictPodOn(node: string, object: ObservedObject): Promise<Stored<Pod>> {
  const pod = await eventually(async () => {
    const found = (await object.pods()).find(({ spec }) => spec?.nodeName === node);
    if (found === undefined || !isReady(found)) throw new Error(`no pod runs on ${node}`);
    return found;
  });
  const { namespace = '', name } = pod.metadata;
  const status = { phase: 'Failed', reason: 'Evicted', message: 'The node was low on resource: memory.' };
  await client.patch(
    pods,
    { namespace, name },
    { type: 'merge', body: { status } },
    { subresource: 'status' },
  );
  return pod;
}

async function untilReplaced({ metadata, spec }: Stored<Pod>, object: ObservedObject): Promise<Stored<Pod>> {
  return eventually(async () => {
    const onNode = (await object.pods()).filter((pod) => pod.spec?.nodeName === spec?.nodeName);
    expect(onNode).toHaveLength(1);
    const [pod] = onNode;
    expect(pod?.metadata.uid).not.toBe(metadata.uid);
    return pod as Stored<Pod>;
  });
}

/** As a kubelet does. */
async function recordFailedMount(object: ObservedObject): Promise<void> {
  const stuck = (await object.pods()).find(({ spec }) => spec?.containers[0]?.image === 'agent:bad-mount');
  if (stuck === undefined) throw new Error('the canary has no pod');
  const { namespace = '', name, uid } = stuck.metadata;
  await client.create(events, {
    metadata: { namespace, name: `${name}.mount` },
    eventTime: `${new Date().toISOString().slice(0, -1)}000Z`,
    reportingController: 'kubelet',
    reportingInstance: 'a-node-1',
    action: 'Starting',
    reason: 'FailedMount',
    type: 'Warning',
    note: 'MountVolume.SetUp failed for volume "keys" : secret "keys" not found',
    regarding: { apiVersion: 'v1', kind: pods.kind, namespace, name, uid },
  } as Event);
}
