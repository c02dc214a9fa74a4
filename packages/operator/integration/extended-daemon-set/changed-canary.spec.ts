// What people change while a canary runs, on a real control plane.
import {
  extendedDaemonSetAnnotations as annotations,
  type CanaryStrategy,
  type ExtendedDaemonSetStatus,
} from '@atoll/api';
import { isReady, keyOf, nodes, pods, type Pod, type Stored, type StreamingClient } from '@atoll/kube';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { withoutElection, type OperatorControlPlane } from '../set-up/operator-control-plane.ts';
import { sharedOperatorControlPlane } from '../set-up/shared-operator-control-plane.ts';
import { eventually } from '../set-up/standing.ts';
import { observedObject, unlimited, type ObservedObject } from './observed-object.ts';

const nodeCount = 4;

let world: OperatorControlPlane;
let client: StreamingClient;
let round = 0;
let observed: ObservedObject;

beforeAll(async () => {
  world = await sharedOperatorControlPlane({ fleet: { nodes: nodeCount } });
  ({ client } = world);
  await world.controlPlane.nodesReady();
  await world.start({ args: [...withoutElection, '--controllers=extended-daemon-set'] });
});

afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
});

beforeEach(() => {
  round += 1;
  observed = observedObject(client, `agent-${round}`);
});

afterEach(async () => {
  await observed.remove();
  await eventually(async () => {
    if ((await observed.pods()).length > 0) throw new Error('pods of the test before are still there');
  });
});

/** `agent:1` on all nodes. */
async function begin(canary: CanaryStrategy): Promise<void> {
  await observed.create({}, { ...unlimited, canary });
  await until({ state: 'Running', ready: nodeCount });
}

async function until(wanted: object): Promise<ExtendedDaemonSetStatus> {
  return eventually(async () => {
    const { status } = await observed.get();
    expect(status).toMatchObject(wanted);
    return status as ExtendedDaemonSetStatus;
  });
}

const templateOf = (image: string): object => ({
  template: { spec: { containers: [{ name: 'agent', image }] } },
});

it('a pause that comes with another template holds that one', async () => {
  await begin({ replicas: 1, duration: '1h', noRestartsDuration: '0s' });
  await observed.setImage('agent:2');
  await until({ state: 'Canary', ready: nodeCount, upToDate: 1 });
  const paused = { metadata: { annotations: { [annotations.canaryPaused]: 'true' } } };
  const strategy = { canary: { duration: '3s' } };
  await observed.patch({ ...paused, spec: { ...templateOf('agent:3'), strategy } });
  await until({ state: 'Canary Paused', upToDate: 0 });
  // Longer than its duration.
  await delay(5_000);
  await until({ state: 'Canary Paused', upToDate: 0 });
  expect(await observed.images()).not.toHaveProperty(['agent:3']);
  await observed.patch({ metadata: { annotations: { [annotations.canaryUnpaused]: 'true' } } });
  await until({ state: 'Running', upToDate: nodeCount, ready: nodeCount });
});

it('a pause ends with the canary that it was meant for', async () => {
  await begin({ replicas: 1, duration: '1h', noRestartsDuration: '0s' });
  await observed.setImage('agent:2');
  await until({ state: 'Canary', ready: nodeCount, upToDate: 1 });
  await observed.patch({ metadata: { annotations: { [annotations.canaryPaused]: 'true' } } });
  await until({ state: 'Canary Paused' });
  await observed.setImage('agent:3');
  await until({ state: 'Canary', ready: nodeCount, upToDate: 1 });
  expect(await observed.images()).toMatchObject({ 'agent:3': 1 });
});

it('a strategy that becomes wrong changes nothing: the canary keeps its nodes, and is judged by no other limits', async () => {
  const limits = { autoPause: { maxRestarts: 900 }, autoFail: { maxRestarts: 1000, canaryTimeout: '20m' } };
  await begin({ replicas: 2, duration: '10m', ...limits });
  await observed.setImage('agent:bad-crash');
  const { canary } = await until({ state: 'Canary', upToDate: 2 });
  await eventually(async () => {
    const restarts = (await observed.pods()).map(
      ({ status }) => status?.containerStatuses?.[0]?.restartCount,
    );
    // More than the default of autoPause.
    expect(restarts.filter((count = 0) => count > 2)).toHaveLength(2);
  });
  // The schema takes it: in manual mode, which it does not name, there would be no duration to compare.
  await observed.patch({
    spec: { strategy: { canary: { duration: null, autoFail: { canaryTimeout: '5m' } } } },
  });
  await eventually(async () => {
    const { conditions = [] } = (await observed.get()).status ?? {};
    expect(conditions.find(({ type }) => type === 'Ready')?.message).toContain('canaryTimeout is 5m');
  });
  await delay(2_000);
  await until({ state: 'Canary', canary });
  await observed.patch({
    spec: { strategy: { canary: { duration: '10m', autoFail: { canaryTimeout: '20m' } } } },
  });
  await delay(2_000);
  const { status, spec } = await observed.get();
  expect(status).toMatchObject({ state: 'Canary', canary });
  expect(spec).toMatchObject(templateOf('agent:bad-crash'));
});

it('a template that comes back in mid rollout keeps its pods while it is tried', async () => {
  await begin({ replicas: 1, validationMode: 'manual' });
  const before = new Set((await observed.pods()).map(({ metadata }) => metadata.uid));
  const slowly = { reconcileFrequency: '2s', rollingUpdate: { maxUnavailable: 1 } };
  await observed.patch({ spec: { strategy: slowly } });
  await observed.setImage('agent:2');
  const { canary } = await until({ state: 'Canary', upToDate: 1 });
  await observed.patch({ metadata: { annotations: { [annotations.canaryValid]: canary?.replicaSet } } });
  await eventually(async () => expect((await observed.images())['agent:2']).toBeGreaterThan(1));
  await observed.setImage('agent:1');
  const back = await until({ state: 'Canary' });
  const kept = (await observed.pods()).filter(({ metadata }) => before.has(metadata.uid));
  // Time for two more batches.
  await delay(5_000);
  const now = new Set((await observed.pods()).map(({ metadata }) => metadata.uid));
  expect(kept.filter(({ metadata }) => !now.has(metadata.uid))).toEqual([]);
  const valid = back.canary?.replicaSet;
  await observed.patch({ metadata: { annotations: { [annotations.canaryValid]: valid } } });
  await until({ state: 'Running', upToDate: nodeCount, ready: nodeCount });
  expect(await observed.images()).toEqual({ 'agent:1': nodeCount });
});

it('a NoSchedule taint on the node of a canary ends no pod, and moves the canary nowhere', async () => {
  await begin({ replicas: 1, validationMode: 'manual' });
  await observed.setImage('agent:2');
  const { canary } = await until({ state: 'Canary', ready: nodeCount, upToDate: 1 });
  const [node = ''] = canary?.nodes ?? [];
  const uids = async () => (await observed.pods()).map(({ metadata }) => metadata.uid).toSorted();
  const before = await uids();
  const taints = [{ key: 'maintenance', effect: 'NoSchedule' }];
  for (const spec of [{ taints }, { taints: null }]) {
    await client.patch(nodes, { name: node }, { type: 'merge', body: { spec } });
    await delay(2_000);
    await until({ state: 'Canary', canary, ready: nodeCount, upToDate: 1 });
    expect(await uids()).toEqual(before);
  }
});

it('a pod that is evicted shortly before the end is followed by one that is tried for as long', async () => {
  await begin({ replicas: 1, duration: '10s', noRestartsDuration: '8s' });
  await observed.setImage('agent:2');
  const canaryPod = async () =>
    (await observed.pods()).find(({ spec }) => spec?.containers[0]?.image === 'agent:2');
  const first = await eventually(async () => {
    const found = await canaryPod();
    // Its kubelet would write over what is written before.
    expect(found === undefined ? [] : [isReady(found)]).toEqual([true]);
    return found as Stored<Pod>;
  });
  // Five of its ten seconds are over, however late it was seen.
  await delay(Math.max(0, Date.parse(first.metadata.creationTimestamp) + 5_000 - Date.now()));
  const body = { status: { phase: 'Failed', reason: 'Evicted' } };
  await client.patch(pods, keyOf(first), { type: 'merge', body }, { subresource: 'status' });
  const second = await eventually(async () => {
    const found = await canaryPod();
    // In between there is none.
    expect(found).toBeDefined();
    expect(found?.metadata.uid).not.toBe(first.metadata.uid);
    return found;
  });
  await until({ state: 'Running' });
  const ageMs = Date.now() - Date.parse(second?.metadata.creationTimestamp ?? '');
  expect(ageMs).toBeGreaterThan(7_500);
  await until({ state: 'Running', upToDate: nodeCount, ready: nodeCount });
});
