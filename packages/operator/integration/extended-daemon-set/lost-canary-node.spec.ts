// The node of a canary goes away before its pod has started there: the canary is tried on another node, and the first one has the active template when it
// is back.
import { extendedDaemonSetLabels, extendedDaemonSets, type ExtendedDaemonSetStatus } from '@atoll/api';
import { nodes, pods, type StreamingClient } from '@atoll/kube';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { withoutElection, type OperatorControlPlane } from '../set-up/operator-control-plane.ts';
import { sharedOperatorControlPlane } from '../set-up/shared-operator-control-plane.ts';
import { eventually } from '../set-up/standing.ts';

const key = { namespace: 'default', name: 'agent' };
const nodeCount = 3;

let world: OperatorControlPlane;
let client: StreamingClient;

async function statusOf(): Promise<ExtendedDaemonSetStatus | undefined> {
  return (await client.get(extendedDaemonSets, key)).status;
}

async function setImage(image: string): Promise<void> {
  const body = { spec: { template: { spec: { containers: [{ name: 'agent', image }] } } } };
  await client.patch(extendedDaemonSets, key, { type: 'merge', body });
}

/** By node. */
async function images(): Promise<Readonly<Record<string, string | undefined>>> {
  const labelSelector = `${extendedDaemonSetLabels.name}=${key.name}`;
  const { items } = await client.list(pods, { namespace: key.namespace, labelSelector });
  return Object.fromEntries(items.map(({ spec }) => [spec?.nodeName ?? '', spec?.containers[0]?.image]));
}

/** As if the node had gone away two minutes ago: its taints say since when it is. */
async function wentAwayEarlier(name: string): Promise<void> {
  await world.controlPlane.reportNodes([name], 'NotReady');
  await eventually(async () => {
    const { spec } = await client.get(nodes, { name });
    const effects = (spec?.taints ?? []).map(({ effect }) => effect).sort();
    expect(effects).toEqual(['NoExecute', 'NoSchedule']);
  });
  const timeAdded = new Date(Date.now() - 120_000).toISOString().replace(/\.\d+Z$/, 'Z');
  const { spec } = await client.get(nodes, { name });
  const taints = (spec?.taints ?? []).map((taint) => ({ ...taint, timeAdded }));
  await client.patch(nodes, { name }, { type: 'merge', body: { spec: { taints } } });
}

beforeAll(async () => {
  world = await sharedOperatorControlPlane({ fleet: { pools: ['a'], nodesPerPool: nodeCount } });
  ({ client } = world);
  await world.controlPlane.nodesReady();
  await world.start({ args: [...withoutElection, '--controllers=extended-daemon-set'] });
  const limits = { slowStartIntervalDuration: '1ms', slowStartAdditiveIncrease: 250 };
  const off = { enabled: false };
  await client.create(extendedDaemonSets, {
    metadata: key,
    spec: {
      strategy: {
        reconcileFrequency: '100ms',
        rollingUpdate: { maxUnavailable: 1, ...limits },
        canary: { replicas: 1, validationMode: 'manual', autoPause: off, autoFail: off },
      },
      template: { spec: { containers: [{ name: 'agent', image: 'agent:1' }] } },
    },
  });
}, 120_000);

afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
});

it('another node takes its place, and the first one serves the active template when it is back', async () => {
  await eventually(async () => {
    expect(await statusOf()).toMatchObject({ ready: nodeCount, state: 'Running' });
  });
  const canary = 'agent:bad-pull';
  await setImage(canary);
  const lost = await eventually(async () => {
    const [node = ''] = (await statusOf())?.canary?.nodes ?? [];
    expect((await images())[node]).toBe(canary);
    return node;
  });
  await wentAwayEarlier(lost);
  const taken = await eventually(async () => {
    const [node = '', ...others] = (await statusOf())?.canary?.nodes ?? [];
    expect([node === lost, others]).toEqual([false, []]);
    expect((await images())[node]).toBe(canary);
    return node;
  });
  const others = Object.entries(await images()).filter(([node]) => node !== lost && node !== taken);
  expect(others.map(([, image]) => image)).toEqual(['agent:1']);
  await world.controlPlane.reportNodes([lost], 'Ready');
  await eventually(async () => {
    const found = await images();
    expect([found[lost], found[taken]]).toEqual(['agent:1', canary]);
    expect(await statusOf()).toMatchObject({ state: 'Canary', canary: { nodes: [taken] } });
  });
});
