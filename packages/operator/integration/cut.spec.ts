// The operator loses the API server in the middle of a rollout, and gets it back.
import { setTimeout as pass } from 'node:timers/promises';
import { labels, nodePools, yurtAppDaemons } from '@atoll/api';
import {
  atMostOneLiveChild,
  checkHistory,
  countWrites,
  deletesCarryUid,
  startFaultProxy,
  type FaultProxy,
  type RunningOperator,
  type Traffic,
} from '@atoll/testbed';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { apply, childrenOf, daemon, imageOf, pool, setImage } from './objects.ts';
import {
  operatorAccount,
  operatorUser,
  startOperatorPlane,
  withoutElection,
  type OperatorPlane,
} from './operator-plane.ts';
import { conditionsOf, eventually } from './standing.ts';

const names = Array.from({ length: 40 }, (_, index) => `edge-${String(index + 1).padStart(2, '0')}`);
const children = 'deployments.apps';
const name = 'web';

let world: OperatorPlane;
let proxy: FaultProxy;
let kubeconfig: string;

beforeAll(async () => {
  world = await startOperatorPlane({ fleet: { pools: names, nodesPerPool: 1 } });
  const { plane, client } = world;
  proxy = await startFaultProxy({ target: plane, directory: plane.directory });
  kubeconfig = await proxy.kubeconfigFrom(await plane.kubeconfigFor(operatorAccount));
  for (const each of names) await apply(client, nodePools, pool(each, { edge: 'yes' }));
});

afterAll(async () => {
  await proxy?.close();
  await world?.[Symbol.asyncDispose]();
});

async function expectSettled(image: string): Promise<void> {
  const { client } = world;
  expect(await conditionsOf(client, yurtAppDaemons, name, 'default')).toMatchObject({
    Ready: { status: 'True' },
  });
  const found = [...(await childrenOf(client, name)).values()];
  expect(found.map(imageOf)).toEqual(Array(names.length).fill(image));
}

/** Cuts the operator off at the nth write to a child, and yields what went on until then. */
async function cutAt(nth: number, change: () => Promise<unknown>): Promise<void> {
  const injection = proxy.inject(
    { verb: 'write', resource: children, nth },
    { do: 'crash', when: 'before-forwarding', call: () => proxy.cut() },
  );
  await change();
  await injection.whenTaken(1, 60_000);
}

function describeTraffic({ total, busiestSecond, connections, requests }: Traffic): string {
  const kinds = Object.entries(requests).filter(([what]) => /^(list|watch)/.test(what));
  const reads = kinds.map(([what, count]) => `${count} ${what}`).join(', ');
  return `${total} requests (at most ${busiestSecond} in a second), ${connections} connections; ${reads}`;
}

/** Nothing doubled: one creation and one update for each child and image, and never two children for a pool. */
async function expectNothingDoubled(since: number): Promise<void> {
  const { recording } = world;
  await recording.waitForQuiescence({ user: operatorUser, resources: [children], quietMs: 1_500 });
  const history = await recording.history();
  expect(
    checkHistory(history, [
      atMostOneLiveChild({ resources: [children], place: labels.poolName }),
      deletesCarryUid({ user: operatorUser }),
    ]),
  ).toEqual([]);
  const { byObject } = countWrites(history, { user: operatorUser, resources: [children], since });
  // A request that the cut took the answer of may have been sent once more.
  expect([...byObject].filter(([, count]) => count > 2)).toEqual([]);
  const created = history.events.filter(({ resource, type }) => resource === children && type === 'ADDED');
  expect(created.length).toBe(names.length);
}

it('goes on by itself after a minute, without a storm', { timeout: 240_000 }, async () => {
  const { client } = world;
  const operator = await world.start({ kubeconfig, args: withoutElection });
  const { pid } = operator;
  let since = Date.now();
  // In the midst of the creation …
  await cutAt(12, async () =>
    apply(client, yurtAppDaemons, daemon({ name, pools: { edge: 'yes' }, replicas: 1 })),
  );
  proxy.resetTraffic();
  const { connections: before } = proxy.traffic();
  // This is no waiting: the minute is what is tested.
  await pass(60_000);
  const during = proxy.traffic();
  const got = (await childrenOf(client, name)).size;
  expect(got).toBeLessThan(names.length);
  proxy.resetTraffic();
  const healed = performance.now();
  proxy.heal();
  await eventually(async () => expectSettled('nginx:1.27'), 90_000);
  const took = performance.now() - healed;
  const after = proxy.traffic();
  console.log(
    [
      `cut for 60 s with ${got} of ${names.length} children created; all Ready ${(took / 1000).toFixed(1)} s after it healed`,
      `  during the cut: ${during.connections - before} connections tried`,
      `  after it: ${describeTraffic(after)}`,
    ].join('\n'),
  );
  expect(operator.pid).toBe(pid);
  expect(during.connections - before).toBeLessThan(400);
  const reads = Object.entries(after.requests).filter(([what]) => /^(list|watch) /.test(what));
  expect(reads.filter(([, count]) => count > 3)).toEqual([]);
  await expectNothingDoubled(since);

  // … and, for a moment only, in the midst of an update.
  since = Date.now();
  await cutAt(12, async () => setImage(client, yurtAppDaemons, name, 'nginx:1.28'));
  proxy.heal();
  await eventually(async () => expectSettled('nginx:1.28'), 90_000);
  expect(operator.pid).toBe(pid);
  await expectNothingDoubled(since);
  await operator.kill('SIGTERM');
  expect(operator.lastExit).toEqual({ code: 0, signal: null });
});

it(
  'ends when it lost the Lease meanwhile, and goes on when it is started again',
  { timeout: 240_000 },
  async () => {
    const { client } = world;
    let operator: RunningOperator | undefined = await world.start({ kubeconfig });
    const since = Date.now();
    await cutAt(12, async () => setImage(client, yurtAppDaemons, name, 'nginx:1.29'));
    await eventually(async () => expect(operator?.pid).toBeUndefined(), 60_000);
    expect(operator.lastExit).toEqual({ code: 1, signal: null });
    expect(operator.lastWords()).toMatch(/^atoll-operator: controllers: leadership lost$/m);
    // As a Deployment would: again and again, with a pause in between, while the cluster is away.
    const failure = await world.start({ kubeconfig }).catch((error: unknown) => error);
    expect(String(failure)).toMatch(/atoll-operator: Cannot use the API server at https:/);
    proxy.heal();
    operator = await world.start({ kubeconfig });
    await eventually(async () => expectSettled('nginx:1.29'), 90_000);
    await expectNothingDoubled(since);
    await operator.kill('SIGTERM');
    expect(operator.lastExit).toEqual({ code: 0, signal: null });
  },
);

it('goes on when the API server dies in mid rollout and comes back', { timeout: 240_000 }, async () => {
  const { client, plane } = world;
  const operator = await world.start({ kubeconfig, args: withoutElection });
  const { pid } = operator;
  const image = 'nginx:1.29';
  await apply(client, yurtAppDaemons, daemon({ name, pools: { edge: 'yes' }, replicas: 1, image }));
  await eventually(async () => expectSettled(image), 90_000);
  const before = await standing();
  const apiServer = plane.component('kube-apiserver');
  const injection = proxy.inject(
    { verb: 'write', resource: children, nth: 12 },
    { do: 'crash', when: 'before-forwarding', call: async () => apiServer.kill() },
  );
  await setImage(client, yurtAppDaemons, name, 'nginx:1.30');
  await injection.whenTaken(1, 60_000);
  await apiServer.restart();
  // What is ours to do; how soon the neighbours are back, and pods ready, is theirs.
  await eventually(async () => {
    const found = [...(await childrenOf(client, name)).values()];
    expect(found.map(imageOf)).toEqual(Array(names.length).fill('nginx:1.30'));
    expect(await conditionsOf(client, yurtAppDaemons, name, 'default')).toMatchObject({
      WorkLoadUpdated: { status: 'True' },
      WorkLoadFailure: { status: 'False' },
    });
  }, 120_000);
  // The same children, and each was changed once: nothing was made anew, nothing written twice.
  expect(await standing()).toEqual(before.map(([uid, generation]) => [uid, generation + 1]));
  expect(operator.pid).toBe(pid);
  await operator.kill('SIGTERM');
  expect(operator.lastExit).toEqual({ code: 0, signal: null });
});

/** Uid and generation of each child, by pool. */
async function standing(): Promise<readonly (readonly [string, number])[]> {
  const found = await childrenOf(world.client, name);
  return names.map((each) => {
    const { uid = '', generation = 0 } = found.get(each)?.metadata ?? {};
    return [uid, generation];
  });
}
