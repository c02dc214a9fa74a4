// The old operator at work beside ours, on a real control plane: another client writes as it does, under its name.
import {
  extendedDaemonSetReplicaSets,
  extendedDaemonSets,
  oldExtendedDaemonSetManager,
  replicaSetConditions,
  type ExtendedDaemonSetReplicaSet,
} from '@atoll/api';
import { createClient, loadKubeconfig, type Stored, type StreamingClient } from '@atoll/kube';
import { AuditLog, type RunningOperator } from '@atoll/testbed';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { overallTypes } from '../../src/engine/status/conditions.ts';
import { guideCommands, runDocumented } from '../set-up/documented-commands.ts';
import {
  operatorUser,
  withoutElection,
  type OperatorControlPlane,
} from '../set-up/operator-control-plane.ts';
import { sharedOperatorControlPlane } from '../set-up/shared-operator-control-plane.ts';
import { eventually } from '../set-up/standing.ts';
import { observedObject } from './observed-object.ts';

const nodeCount = 2;

let world: OperatorControlPlane;
let client: StreamingClient;
let old: StreamingClient;
let log: AuditLog;
let operator: RunningOperator;

beforeAll(async () => {
  world = await sharedOperatorControlPlane({ fleet: { pools: ['a'], nodesPerPool: nodeCount } });
  ({ client } = world);
  const access = await loadKubeconfig({ path: world.controlPlane.kubeconfig });
  old = createClient(access, { userAgent: oldExtendedDaemonSetManager });
  await world.controlPlane.nodesReady();
  log = new AuditLog(world.controlPlane.auditLog ?? '');
  // With the controllers that are on by default.
  operator = await world.start({ args: withoutElection });
}, 120_000);

afterAll(async () => {
  await old?.close();
  await log?.close();
  await world?.[Symbol.asyncDispose]();
});

/** The status as a whole, with the time of now, as the old operator does with every `reconcileFrequency`. */
async function writeAsOldOperator({ metadata, status }: Stored<ExtendedDaemonSetReplicaSet>): Promise<void> {
  const { namespace = '', name } = metadata;
  const type = replicaSetConditions.lastFullSync;
  const at = `${new Date().toISOString().slice(0, 19)}Z`;
  const synced = { type, status: 'True', message: 'full sync', lastTransitionTime: at, lastUpdateTime: at };
  const others = (status?.conditions ?? []).filter((each) => each.type !== type);
  const body = { status: { ...status, conditions: [...others, synced] } };
  await old.patch(
    extendedDaemonSetReplicaSets,
    { namespace, name },
    { type: 'merge', body },
    { subresource: 'status' },
  );
}

async function writesOfPods(since: number): Promise<number> {
  await log.readOn();
  return log.entries.filter(
    ({ user, resource, verb, dryRun, receivedAt }) =>
      user === operatorUser &&
      !dryRun &&
      resource === 'pods' &&
      receivedAt >= since &&
      ['create', 'patch', 'delete'].includes(verb),
  ).length;
}

const timeout = { timeout: 300_000 };

it(
  'an object is left to the old operator while that writes, and a new one until it is clear whose it is',
  timeout,
  async () => {
    const [served, fresh] = [observedObject(client, 'served'), observedObject(client, 'fresh')];
    await served.create();
    await served.untilAll('agent:1', nodeCount);
    await eventually(async () => {
      for (const replicaSet of await served.replicaSets()) await writeAsOldOperator(replicaSet);
      expect(await served.condition('Stalled')).toMatchObject({
        status: 'True',
        reason: 'ServedByAnotherController',
      });
    });
    const since = Date.now();
    const uids = (await served.pods()).map(({ metadata }) => metadata.uid).sort();
    await served.setImage('agent:2');
    await fresh.create();
    await served.untilCondition('Ready', {
      status: 'False',
      message: expect.stringContaining(
        'another controller, eds-controller, serves it and wrote the replica set',
      ),
    });
    await fresh.untilCondition('Ready', { message: expect.stringContaining('may serve this object too') });
    expect(await fresh.replicaSets()).toEqual([]);
    expect(await writesOfPods(since)).toBe(0);
    expect((await served.pods()).map(({ metadata }) => metadata.uid).sort()).toEqual(uids);
    // It is silent from now on; after a minute of that they are ours.
    await Promise.all([
      served.untilAll('agent:2', nodeCount, 180_000),
      fresh.untilAll('agent:1', nodeCount, 180_000),
    ]);
    await eventually(async () => expect(await served.condition('Stalled')).toBeUndefined());
  },
);

it('the way back of the guide leaves none of our conditions behind, and those of the old operator', async () => {
  const object = observedObject(client, 'served');
  const ofOld = { type: 'Canary-Failed', status: 'False', reason: 'CanaryFailed' };
  await operator.kill('SIGTERM');
  const { status, metadata } = await object.get();
  const found = (status?.conditions ?? []).map(({ type }) => type);
  expect(found).toEqual(expect.arrayContaining(['Ready', 'Progressing', 'Degraded']));
  await old.patch(
    extendedDaemonSets,
    { namespace: 'default', name: metadata.name },
    { type: 'merge', body: { status: { conditions: [...(status?.conditions ?? []), ofOld] } } },
    { subresource: 'status' },
  );
  const commands = guideCommands('docs/users/extended-daemon-set.md', '## Back to the old operator');
  expect(commands).toHaveLength(2);
  for (const command of commands) await runDocumented(command, world.controlPlane.kubeconfig);
  for (const name of ['served', 'fresh']) {
    const { conditions = [] } = (await observedObject(client, name).get()).status ?? {};
    expect(conditions.map(({ type }) => type).filter((type) => overallTypes.includes(type))).toEqual([]);
  }
  expect((await object.get()).status?.conditions).toEqual([ofOld]);
});
