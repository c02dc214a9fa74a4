// A quota that is lowered below its use, on a real control plane: a pod that is deleted makes no room for the one that is to replace it.
import { resourceQuotas, type StreamingClient } from '@atoll/kube';
import { AuditLog } from '@atoll/testbed';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { enforcedQuota } from '../set-up/enforced-quota.ts';
import { withoutElection, type OperatorControlPlane } from '../set-up/operator-control-plane.ts';
import { sharedOperatorControlPlane } from '../set-up/shared-operator-control-plane.ts';
import { eventually } from '../set-up/standing.ts';
import { observedObject, unlimited } from './observed-object.ts';

const nodeCount = 4;
const quota = { namespace: 'default', name: 'small' };

let world: OperatorControlPlane;
let client: StreamingClient;
let log: AuditLog;

beforeAll(async () => {
  world = await sharedOperatorControlPlane({ fleet: { pools: ['a'], nodesPerPool: nodeCount } });
  ({ client } = world);
  await world.controlPlane.nodesReady();
  log = new AuditLog(world.controlPlane.auditLog ?? '');
  await world.start({ args: [...withoutElection, '--controllers=extended-daemon-set'] });
}, 120_000);

afterAll(async () => {
  await log?.close();
  await world?.[Symbol.asyncDispose]();
});

async function allow(count: number): Promise<void> {
  const hard = { pods: String(count) };
  await client.patch(resourceQuotas, quota, { type: 'merge', body: { spec: { hard } } });
  await eventually(async () => {
    expect((await client.get(resourceQuotas, quota)).status).toMatchObject({ hard });
  });
}

const refused = {
  status: 'False',
  reason: 'ChildRefused',
  message: expect.stringMatching(/exceeded quota: small, requested: pods=1, used: pods=\d, limited: pods=2/),
};

it('costs no pod, however many may be unavailable, is named, and the rollout goes on when it is raised', async () => {
  const object = observedObject(client, 'lowered');
  await object.create({}, unlimited);
  await object.untilAll('agent:1', nodeCount);
  await enforcedQuota(client, quota, { pods: '2' });
  const before = (await object.pods()).map(({ metadata }) => metadata.uid).sort();
  await object.setImage('agent:2');
  await object.untilCondition('Ready', refused);
  expect((await object.pods()).map(({ metadata }) => metadata.uid).sort()).toEqual(before);
  await allow(nodeCount);
  await object.untilAll('agent:2', nodeCount);
});

it('in mid rollout costs the pod of one node, with one at a time, and is named', async () => {
  const object = observedObject(client, 'lowered');
  const rollingUpdate = { ...unlimited.rollingUpdate, maxUnavailable: 1 };
  await object.patch({ spec: { strategy: { reconcileFrequency: '3s', rollingUpdate } } });
  await object.setImage('agent:3');
  await eventually(async () => expect((await object.images())['agent:3']).toBe(1));
  await allow(2);
  await object.untilCondition('Ready', refused);
  const lowered = Date.now();
  // It is refused again with the growing pauses of retries: three more batches would have been due by then.
  await eventually(async () => {
    await log.readOn();
    const refusals = log.entries.filter(
      ({ verb, resource, code }) => verb === 'create' && resource === 'pods' && code === 403,
    );
    const times = refusals.map(({ receivedAt }) => receivedAt);
    expect(Math.max(...times) - lowered).toBeGreaterThan(10_000);
  });
  expect((await object.pods()).length).toBeGreaterThanOrEqual(nodeCount - 1);
  await allow(nodeCount);
  await object.untilAll('agent:3', nodeCount);
});
