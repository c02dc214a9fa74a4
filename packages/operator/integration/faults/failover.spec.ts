// Two replicas, as a Deployment runs them: the one that leads dies, or hangs, in the middle of a rollout.
import { labels, nodePools, yurtAppDaemons } from '@atoll/api';
import {
  atMostOneLiveChild,
  checkHistory,
  concernsWrite,
  deletesCarryUid,
  writesOf,
  type RunningOperator,
} from '@atoll/testbed';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { apply, childrenOf, daemon, imageOf, pool, setImage } from '../set-up/objects.ts';
import { patientElection, restless, type OperatorControlPlane } from '../set-up/operator-control-plane.ts';
import { sharedOperatorControlPlane } from '../set-up/shared-operator-control-plane.ts';
import { leads, newReplica, type Replica } from '../set-up/replicas.ts';
import { conditionsOf, eventually } from '../set-up/standing.ts';

const names = Array.from({ length: 16 }, (_, index) => `edge-${String(index + 1).padStart(2, '0')}`);
const children = 'deployments.apps';
const workload = 'web';

let world: OperatorControlPlane;
let replicas: readonly Replica[] = [];

beforeAll(async () => {
  world = await sharedOperatorControlPlane({ fleet: { pools: names, nodesPerPool: 1 } });
  const { client } = world;
  replicas = [await newReplica(world, 'replica-a'), await newReplica(world, 'replica-b')];
  for (const name of names) await apply(client, nodePools, pool(name, { edge: 'yes' }));
});

afterAll(async () => {
  for (const { proxy } of replicas) await proxy.close();
  await world?.[Symbol.asyncDispose]();
});

async function start({ name, kubeconfig }: Replica): Promise<RunningOperator> {
  return world.start({ name, kubeconfig, args: patientElection });
}

async function expectSettled(image: string): Promise<void> {
  const { client } = world;
  expect(await conditionsOf(client, yurtAppDaemons, workload, 'default')).toMatchObject({
    Ready: { status: 'True' },
  });
  const found = [...(await childrenOf(client, workload)).values()];
  expect(found.map(imageOf)).toEqual(Array(names.length).fill(image));
}

async function expectNoDuplicates(): Promise<void> {
  const history = await world.recording.history();
  expect(
    checkHistory(history, [
      atMostOneLiveChild({ resources: [children], place: labels.poolName }),
      ...replicas.map(({ user }) => deletesCarryUid({ user })),
    ]),
  ).toEqual([]);
  const created = history.events.filter(({ resource, type }) => resource === children && type === 'ADDED');
  expect(created.length).toBe(names.length);
}

it('the other one takes over when the leader is killed', { timeout: 400_000 }, async () => {
  const [a, b] = replicas;
  if (a === undefined || b === undefined) throw new Error('there are two replicas');
  const { client } = world;
  const leader = await start(a);
  await eventually(async () => expect(await leads(leader)).toBe(true));
  const standby = await start(b);
  const injection = a.proxy.inject(
    { verb: 'write', resource: children, nth: 10 },
    { do: 'crash', when: 'after-answer', call: async () => leader.kill() },
  );
  await apply(client, yurtAppDaemons, daemon({ name: workload, pools: { edge: 'yes' }, replicas: 1 }));
  await injection.whenTaken(1);
  const died = performance.now();
  await eventually(async () => expect(await leads(standby)).toBe(true));
  const tookOver = performance.now() - died;
  await eventually(async () => expectSettled('nginx:1.27'));
  console.log(
    `leader killed: the other leads after ${(tookOver / 1000).toFixed(1)} s, all Ready after ${((performance.now() - died) / 1000).toFixed(1)} s`,
  );
  await expectNoDuplicates();
  // What was written by whom: the standby wrote nothing of the fleet before the leader was dead.
  const history = await world.recording.history();
  const deadAt = Math.max(
    ...writesOf(history).flatMap(({ audit }) => (audit.user === a.user ? [audit.at] : [])),
  );
  const early = writesOf(history).filter(
    ({ audit }) => audit.user === b.user && audit.resource === children && audit.receivedAt < deadAt,
  );
  expect(early).toEqual([]);
});

it(
  'a leader that hangs changes nothing when it goes on after the other has taken over, and ends',
  { timeout: 400_000 },
  async () => {
    const [a, b] = replicas;
    if (a === undefined || b === undefined) throw new Error('there are two replicas');
    const { client, controlPlane } = world;
    const leader = controlPlane.component(b.name);
    const successor = await start(a);
    const injection = b.proxy.inject(
      { verb: 'write', resource: children, nth: 10 },
      { do: 'crash', when: 'before-forwarding', call: async () => leader.pause() },
    );
    await setImage(client, yurtAppDaemons, workload, 'nginx:1.28');
    await injection.whenTaken(1);
    await eventually(async () => expect(await leads(successor)).toBe(true));
    await eventually(async () => expectSettled('nginx:1.28'));

    // It still believes in 1.28 and in its own leadership; meanwhile the world has moved on.
    await setImage(client, yurtAppDaemons, workload, 'nginx:1.29');
    await eventually(async () => expectSettled('nginx:1.29'));
    const woken = Date.now();
    await leader.resume();
    await eventually(async () => expect(leader.pid).toBeUndefined());
    expect(leader.lastExit).toEqual({ code: 1, signal: null });
    expect(leader.lastWords()).toMatch(/^atoll-operator: controllers: leadership lost$/m);

    await world.recording.waitForQuiescence({ user: a.user, resources: [children], quietMs: 1_500 });
    const history = await world.recording.history();
    // A process can be stopped between its last look at the clock and the send. That is one request, and what it was
    // to change has changed since.
    const ofWoken = { user: b.user, since: woken, except: restless };
    const late = writesOf(history).filter((write) => concernsWrite(ofWoken, write));
    expect(late.length).toBeLessThanOrEqual(1);
    expect(late.map(({ result }) => result)).not.toContain('changed');
    await expectSettled('nginx:1.29');
    await expectNoDuplicates();
    expect(await leads(successor)).toBe(true);
  },
);
