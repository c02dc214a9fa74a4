// The operator loses the API server in the middle of a rollout, and gets it back.
import { setTimeout as delay } from 'node:timers/promises';
import { nodePools, unitedDaemonSets, yurtAppDaemons } from '@atoll/api';
import { groupResourceOf } from '@atoll/kube';
import type { RunningOperator, Traffic } from '@atoll/testbed';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { caches } from '../../src/caches.ts';
import { apply, pool } from '../set-up/objects.ts';
import { withoutElection } from '../set-up/operator-control-plane.ts';
import { startProxiedControlPlane, type ProxiedControlPlane } from '../set-up/proxied-control-plane.ts';
import {
  applyImage,
  countChildren,
  cutAt,
  expectNothingDoubled,
  expectStanding,
  generationsOf,
  interruptAt,
  startOperator,
  updateTo,
  type Rollout,
} from './rollout.ts';
import { eventually } from '../set-up/standing.ts';

const pools = Array.from({ length: 24 }, (_, index) => `edge-${String(index + 1).padStart(2, '0')}`);

/** A leader is not to lose the Lease, however slow the machine is. */
const lastingElection = ['--leader-elect-lease-duration=150s', '--leader-elect-renew-deadline=120s'];

let world: ProxiedControlPlane;
/** Each rolled out by an operator of its own, so that one can be cut off for long while the other is not. */
let web: Rollout;
let shop: Rollout;

beforeAll(async () => {
  world = await startProxiedControlPlane({ fleet: { pools, nodesPerPool: 1 } });
  for (const each of pools) await apply(world.client, nodePools, pool(each, { edge: 'yes' }));
  web = {
    world,
    way: world,
    operator: 'operator',
    controllers: '*,-united-daemon-set',
    resource: yurtAppDaemons,
    name: 'web',
    pools,
  };
  shop = {
    world,
    way: await world.openWay(),
    operator: 'other-operator',
    controllers: 'united-daemon-set',
    resource: unitedDaemonSets,
    name: 'shop',
    pools,
  };
});

afterAll(async () => world?.[Symbol.asyncDispose]());

function describeTraffic({ total, busiestSecond, connections, requests }: Traffic): string {
  const kinds = Object.entries(requests).filter(([what]) => /^(list|watch)/.test(what));
  const reads = kinds.map(([what, count]) => `${count} ${what}`).join(', ');
  return `${total} requests (at most ${busiestSecond} in a second), ${connections} connections; ${reads}`;
}

/** How many caches the operator fills by such requests, as `watch pods`. */
function cachesReading(what: string): number {
  return Object.values(caches).filter(({ resource }) => what.endsWith(` ${groupResourceOf(resource)}`))
    .length;
}

async function endsInPeace(operator: RunningOperator): Promise<void> {
  await operator.kill('SIGTERM');
  expect(operator.lastExit).toEqual({ code: 0, signal: null });
}

describe.concurrent('in the midst of a creation', () => {
  it('goes on by itself after a minute, without a storm', { timeout: 500_000 }, async () => {
    const { proxy } = world;
    const operator = await startOperator(web, withoutElection);
    const { pid } = operator;
    const since = Date.now();
    await cutAt(web, 12, async () => applyImage(web, 'nginx:1.27'));
    proxy.resetTraffic();
    const { connections: before } = proxy.traffic();
    // This is no waiting: the minute is what is tested.
    await delay(60_000);
    const during = proxy.traffic();
    const got = await countChildren(web);
    expect(got).toBeLessThan(pools.length);
    proxy.resetTraffic();
    const healed = performance.now();
    proxy.heal();
    await eventually(async () => expectStanding(web, 'nginx:1.27'));
    const took = performance.now() - healed;
    const after = proxy.traffic();
    console.log(
      [
        `cut for 60 s with ${got} of ${pools.length} children created; all Ready ${(took / 1000).toFixed(1)} s after it healed`,
        `  during the cut: ${during.connections - before} connections tried`,
        `  after it: ${describeTraffic(after)}`,
      ].join('\n'),
    );
    expect(operator.pid).toBe(pid);
    expect(during.connections - before).toBeLessThan(400);
    const reads = Object.entries(after.requests).filter(([what]) => /^(list|watch) /.test(what));
    expect(reads.filter(([what, count]) => count > cachesReading(what) + 2)).toEqual([]);
    await expectNothingDoubled(web, since);
    await endsInPeace(operator);
  });
});

// These take less than the minute.
describe.concurrent('in the midst of an update', () => {
  it('goes on by itself after a moment', { timeout: 500_000, concurrent: false }, async () => {
    const operator = await startOperator(shop, withoutElection);
    const { pid } = operator;
    await applyImage(shop, 'nginx:1.27');
    await eventually(async () => expectStanding(shop, 'nginx:1.27'));
    const { proxy } = shop.way;
    const since = Date.now();
    await cutAt(shop, 12, async () => updateTo(shop, 'nginx:1.28'));
    proxy.heal();
    await eventually(async () => expectStanding(shop, 'nginx:1.28'));
    expect(operator.pid).toBe(pid);
    await expectNothingDoubled(shop, since);
    await endsInPeace(operator);
  });

  it(
    'ends when it lost the Lease meanwhile, and goes on when it is started again',
    { timeout: 500_000, concurrent: false },
    async () => {
      let operator: RunningOperator | undefined = await startOperator(shop);
      const since = Date.now();
      await cutAt(shop, 12, async () => updateTo(shop, 'nginx:1.29'));
      await eventually(async () => expect(operator?.pid).toBeUndefined());
      expect(operator.lastExit).toEqual({ code: 1, signal: null });
      expect(operator.lastWords()).toMatch(/^atoll-operator: controllers: leadership lost$/m);
      // As a Deployment would, while the cluster is away: it waits for it.
      operator = await startOperator(shop, lastingElection);
      const { pid } = operator;
      await eventually(async () =>
        expect(operator?.lastWords()).toMatch(
          /Cannot use the API server at .*cannot start yet, trying again/,
        ),
      );
      shop.way.proxy.heal();
      await eventually(async () => expectStanding(shop, 'nginx:1.29'));
      expect(operator.pid).toBe(pid);
      await expectNothingDoubled(shop, since);
      await endsInPeace(operator);
    },
  );
});

it('goes on when the API server dies in mid rollout and comes back', { timeout: 500_000 }, async () => {
  const operator = await startOperator(web, withoutElection);
  const { pid } = operator;
  await applyImage(web, 'nginx:1.28');
  await eventually(async () => expectStanding(web, 'nginx:1.28'));
  const before = await generationsOf(web);
  const apiServer = world.controlPlane.component('kube-apiserver');
  await interruptAt(
    web,
    12,
    async () => updateTo(web, 'nginx:1.29'),
    async () => apiServer.kill(),
  );
  await apiServer.restart();
  // What is ours to do; how soon the neighbours are back, and pods ready, is theirs.
  const updated = { WorkLoadUpdated: { status: 'True' }, WorkLoadFailure: { status: 'False' } };
  await eventually(async () => expectStanding(web, 'nginx:1.29', updated), 120_000);
  // The same children, and each was changed once: nothing was made anew, nothing written twice.
  expect(await generationsOf(web)).toEqual(before.map(([uid, generation]) => [uid, generation + 1]));
  expect(operator.pid).toBe(pid);
  await endsInPeace(operator);
});
