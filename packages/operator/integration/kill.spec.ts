// Twenty times `kill -9` in the midst of creation, update and deletion in 60 pools. `ATOLL_SEED=n` repeats a run.
import { labels, nodePools, unitedDaemonSets, yurtAppDaemons, type PoolWorkload } from '@atoll/api';
import type { Resource } from '@atoll/kube';
import {
  atMostOneLiveChild,
  checkHistory,
  countWrites,
  deletesCarryUid,
  formatHistory,
  noWastedWrites,
  startFaultProxy,
  touchesOnlyOwn,
  writesOf,
  type FaultProxy,
} from '@atoll/testbed';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { killOften } from './kill-often.ts';
import { apply, childrenOf, daemon, imageOf, pool, setImage } from './objects.ts';
import {
  operatorAccount,
  operatorUser,
  restless,
  startOperatorPlane,
  type OperatorPlane,
} from './operator-plane.ts';
import { seeded, seedOf } from './random.ts';
import { conditionsOf } from './standing.ts';

const seed = seedOf(process.env['ATOLL_SEED']);
const random = seeded(seed);
const kills = 20;
const names = Array.from({ length: 60 }, (_, index) => `edge-${String(index + 1).padStart(2, '0')}`);
const children = 'deployments.apps';
const written = [
  children,
  'controllerrevisions.apps',
  'yurtappdaemons.apps.openyurt.io',
  'uniteddaemonsets.apps.openyurt.io',
];

let world: OperatorPlane;
let proxy: FaultProxy;
let kubeconfig: string;

beforeAll(async () => {
  world = await startOperatorPlane({ fleet: { pools: names, nodesPerPool: 1 } });
  const { plane } = world;
  proxy = await startFaultProxy({ target: plane, directory: plane.directory });
  kubeconfig = await proxy.kubeconfigFrom(await plane.kubeconfigFor(operatorAccount));
});

afterAll(async () => {
  await proxy?.close();
  await world?.[Symbol.asyncDispose]();
});

interface Wanted {
  readonly resource: Resource<PoolWorkload>;
  readonly name: string;
  image: string;
}

/** How many children are ever made: each once, for each time that its pool is selected. */
let expectedChildren = 0;

/** What should be, as the changes leave it. */
const wanted: Wanted[] = [];
let selected: readonly string[] = names;

async function create(resource: Resource<PoolWorkload>, name: string): Promise<string> {
  const shape = daemon({ name, pools: { edge: 'yes' }, replicas: 1 });
  await apply(world.client, resource, shape);
  wanted.push({ resource, name, image: 'nginx:1.27' });
  expectedChildren += selected.length;
  return `create ${resource.kind}`;
}

async function update(name: string, image: string): Promise<string> {
  for (const each of wanted.filter((candidate) => candidate.name === name)) {
    await setImage(world.client, each.resource, name, image);
    each.image = image;
  }
  return `${name} to ${image}`;
}

/** Every third pool leaves, or all are there again. */
async function select(chosen: readonly string[]): Promise<string> {
  for (const name of names) {
    const edge = chosen.includes(name) ? 'yes' : 'no';
    await apply(world.client, nodePools, pool(name, { edge }));
  }
  expectedChildren += wanted.length * chosen.filter((name) => !selected.includes(name)).length;
  selected = chosen;
  return `${chosen.length} pools`;
}

const most = names.filter((_, index) => index % 3 !== 0);
const changes: readonly (() => Promise<string>)[] = [
  () => create(yurtAppDaemons, 'yad'),
  () => select(most),
  () => update('yad', 'nginx:1.28'),
  () => create(unitedDaemonSets, 'udd'),
  () => select(names),
  () => update('udd', 'nginx:1.28'),
  () => update('yad', 'nginx:1.29'),
  () => select(most),
  () => update('udd', 'nginx:1.29'),
  () => select(names),
];

async function expectSettled(): Promise<void> {
  const { client } = world;
  for (const { resource, name, image } of wanted) {
    expect(await conditionsOf(client, resource, name, 'default')).toMatchObject({
      Ready: { status: 'True' },
    });
    const { status } = await client.get(resource, { namespace: 'default', name });
    expect(status?.nodepools).toEqual(selected);
    const found = await childrenOf(client, name);
    expect([...found.keys()].sort()).toEqual(selected);
    for (const child of found.values()) expect(imageOf(child)).toBe(image);
  }
}

it(
  'never has two children for a pool, and ends as wanted, however often it is killed',
  { timeout: 300_000 },
  async () => {
    const { client, recording } = world;
    const began = performance.now();
    await select(names);
    const { told, arrivedLate } = await killOften({
      world,
      proxy,
      kubeconfig,
      kills,
      random,
      written,
      changes,
      electionRounds: [9, 10, 11],
      expectSettled,
    });
    await recording.waitForQuiescence({
      user: operatorUser,
      except: restless,
      resources: written,
      quietMs: 2_000,
    });

    const history = await recording.history();
    const owners = await Promise.all(
      wanted.map(async ({ resource, name }) => client.get(resource, { namespace: 'default', name })),
    );
    const wasted = noWastedWrites({ user: operatorUser, except: restless })(history);
    const { total, byVerb } = countWrites(history, { user: operatorUser, except: restless });
    const happened = (type: string): number =>
      history.events.filter((event) => event.resource === children && event.type === type && !event.initial)
        .length;
    const unanswered = writesOf(history).filter(
      ({ audit }) => audit.user === operatorUser && written.includes(audit.resource) && audit.code >= 400,
    );
    console.log(
      [
        `seed ${seed}: ${kills} kills in ${((performance.now() - began) / 1000).toFixed(0)} s, ${names.length} pools`,
        ...told.map((line) => `  ${line}`),
        `  ${total} writes: ${[...byVerb].map(([what, count]) => `${count} ${what}`).join(', ')}`,
        `  ${happened('ADDED')} children created, ${happened('DELETED')} deleted, ${wasted.length} writes that changed nothing`,
        `  ${arrivedLate} requests arrived after their sender's successor had finished; ${unanswered.length} were refused or given up`,
        ...wasted.map(({ message }) => `    ${message}`),
      ].join('\n'),
    );
    const violations = checkHistory(history, [
      atMostOneLiveChild({ resources: [children], place: labels.poolName }),
      deletesCarryUid({ user: operatorUser }),
      touchesOnlyOwn({
        user: operatorUser,
        resources: [children, 'controllerrevisions.apps'],
        ownerUids: new Set(owners.map(({ metadata }) => metadata.uid)),
      }),
    ]);
    if (violations.length > 0) {
      const ours = formatHistory(history, {
        where: (entry) => entry.kind === 'write' && entry.audit.user === operatorUser,
      });
      console.log(ours);
    }
    expect(violations).toEqual([]);
    expect(happened('ADDED')).toBe(expectedChildren);
    // What the dead left on its way finds its object there already, or newer.
    expect(wasted.length).toBeLessThanOrEqual(arrivedLate + kills);
  },
);
