// A rollout is over, and the replica that takes over has not seen it: its watch of the workloads stands still, or it has
// started from an old list.
import { nodePools, unitedDeployments, yurtAppDaemons } from '@atoll/api';
import { deployments, pods } from '@atoll/kube';
import { concernsWrite, writesOf, type RunningOperator } from '@atoll/testbed';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { apply, daemon, pool } from '../set-up/objects.ts';
import { patientElection, type OperatorControlPlane } from '../set-up/operator-control-plane.ts';
import { sharedOperatorControlPlane } from '../set-up/shared-operator-control-plane.ts';
import { leads, newReplica, type Replica } from '../set-up/replicas.ts';
import { conditionsOf, eventually } from '../set-up/standing.ts';
import { united } from '../united-deployment/objects.ts';
import { isReady } from '../united-deployment/standing.ts';

const names = ['edge-1', 'edge-2', 'edge-3'];
const subsets = ['a', 'b', 'c'].map((name) => ({ name }));
const workloads = ['uniteddeployments.apps.kruise.io', 'yurtappdaemons.apps.openyurt.io'];
const children = 'deployments.apps';
const namespace = 'default';
let world: OperatorControlPlane;
let a: Replica;
let b: Replica;

beforeAll(async () => {
  world = await sharedOperatorControlPlane({ fleet: { pools: names, nodesPerPool: 1 } });
  a = await newReplica(world, 'replica-a');
  b = await newReplica(world, 'replica-b');
  for (const name of names) await apply(world.client, nodePools, pool(name, { edge: 'yes' }));
});

afterAll(async () => {
  for (const each of [a, b]) await each?.proxy.close();
  await world?.[Symbol.asyncDispose]();
});

async function start({ name, kubeconfig }: Replica): Promise<RunningOperator> {
  const operator = await world.start({ name, kubeconfig, args: patientElection });
  await eventually(async () => expect((await fetch(`${operator.url}/readyz`)).status).toBe(200));
  return operator;
}

/** Applies both workloads and waits until all that they ask for is there and ready. */
async function rollOut(image: string, perPool: number): Promise<void> {
  const { client } = world;
  const total = perPool * names.length;
  const edge = { edge: 'yes' };
  await apply(client, unitedDeployments, united({ name: 'spread', replicas: total, image, subsets }));
  await apply(client, yurtAppDaemons, daemon({ name: 'everywhere', pools: edge, replicas: perPool, image }));
  await isReady(client, 'spread');
  await eventually(async () => {
    const conditions = await conditionsOf(client, yurtAppDaemons, 'everywhere', namespace);
    expect(conditions).toMatchObject({ Ready: { status: 'True' } });
    expect((await podsNow()).length).toBe(2 * total);
  });
}

/** The pods that are not going, and what the children ask for. */
async function podsNow(): Promise<readonly string[]> {
  const { items } = await world.client.list(pods, { namespace });
  return items
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .map(({ metadata, spec }) => `${metadata.name} ${metadata.uid} ${spec?.containers[0]?.image}`)
    .sort();
}

async function childrenNow(): Promise<readonly string[]> {
  const { items } = await world.client.list(deployments, { namespace });
  return items
    .map(({ metadata, spec }) => `${metadata.name} ${metadata.generation} ${spec?.replicas}`)
    .sort();
}

/** The leader dies, and what the other does with both workloads leaves everything as it is. */
async function takeOver(
  leader: RunningOperator,
  standby: RunningOperator,
  successor: Replica,
): Promise<void> {
  const { recording } = world;
  const before = { pods: await podsNow(), children: await childrenNow() };
  const since = Date.now();
  // It looks at both: what it reads live shows it.
  const looks = workloads.map((resource) =>
    successor.proxy.inject({ verb: 'get', resource }, { do: 'slow', latencyMs: 0 }),
  );
  await leader.kill();
  await eventually(async () => expect(await leads(standby)).toBe(true));
  for (const look of looks) await look.whenTaken(1);
  await recording.waitForQuiescence({ user: successor.user, resources: [children], quietMs: 3_000 });
  expect({ pods: await podsNow(), children: await childrenNow() }).toEqual(before);
  const written = { user: successor.user, since, resources: [children] };
  const changed = writesOf(await recording.history()).filter(
    (write) => concernsWrite(written, write) && write.result === 'changed',
  );
  expect(changed).toEqual([]);
  for (const look of looks) look.remove();
}

let leader: RunningOperator;

it(
  'undoes nothing when its watches of the workloads stand still, and goes on when they go on',
  { timeout: 500_000 },
  async () => {
    leader = await start(a);
    await eventually(async () => expect(await leads(leader)).toBe(true));
    await rollOut('nginx:1.27', 2);
    const standby = await start(b);
    const hold = b.proxy.holdWatches({ resource: workloads });
    await rollOut('nginx:1.28', 3);
    await takeOver(leader, standby, b);
    hold.release();
    await rollOut('nginx:1.29', 2);
    leader = standby;
  },
);

it('undoes nothing when it starts from an old list of the workloads', { timeout: 500_000 }, async () => {
  const { resourceVersion } = await world.client.list(unitedDeployments, { namespace });
  await rollOut('nginx:1.30', 3);
  const old = a.proxy.staleStart({ resource: workloads }, resourceVersion);
  const standby = await start(a);
  expect(old.listsAnswered).toBeGreaterThanOrEqual(workloads.length);
  await takeOver(leader, standby, a);
  old.release();
  await rollOut('nginx:1.31', 2);
});
