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
  type Fault,
  type FaultProxy,
  type KeptRequests,
  type ProxiedRequest,
} from '@atoll/testbed';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { apply, childrenOf, daemon, imageOf, pool, setImage } from './objects.ts';
import {
  operatorAccount,
  operatorUser,
  restless,
  startOperatorPlane,
  withoutElection,
  type OperatorPlane,
} from './operator-plane.ts';
import { seeded, seedOf, shuffled } from './random.ts';
import { conditionsOf, eventually } from './standing.ts';

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
/** Three rounds in a row lead by the Lease, so that two successors wait for one that nobody released. */
const withElection = [
  '--leader-elect-lease-duration=8s',
  '--leader-elect-renew-deadline=3500ms',
  '--leader-elect-retry-period=500ms',
];
const electionRounds = [9, 10, 11];

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

async function isSettled(): Promise<boolean> {
  return expectSettled().then(
    () => true,
    () => false,
  );
}

/** Where the process is when it dies; `late`: what it had sent arrives when its successor has finished. */
const moments = ['before a request', 'after an answer', 'with requests under way', 'late'] as const;
type Moment = (typeof moments)[number];

/** A trap that springs at the nth write, or never if there are fewer. */
interface Trap {
  readonly sprung: () => boolean;
  /** The write that sprang it. */
  readonly write: () => string;
  readonly remove: () => void;
}

const lateRequests: KeptRequests[] = [];

function setTrap(moment: Moment, nth: number, kill: () => Promise<void>): Trap {
  const match = { verb: 'write', resource: written, nth } as const;
  if (moment === 'late') {
    const kept = proxy.keepRequests({ ...match, times: Infinity });
    lateRequests.push(kept);
    return {
      sprung: () => kept.requests.length > 0,
      write: () => textOf(kept.requests[0]),
      remove: () => kept.remove(),
    };
  }
  const faults: Readonly<Record<Exclude<Moment, 'late'>, Fault>> = {
    'before a request': { do: 'crash', when: 'before-forwarding', call: kill },
    'after an answer': { do: 'crash', when: 'after-answer', call: kill },
    'with requests under way': { do: 'slow', latencyMs: 0 },
  };
  const injection = proxy.inject(match, faults[moment]);
  return {
    sprung: () => injection.taken.length > 0,
    write: () => textOf(injection.taken[0]),
    remove: () => injection.remove(),
  };
}

function textOf(request: ProxiedRequest | undefined): string {
  const { verb = '', resource = '', subresource } = request ?? {};
  return `${verb} ${resource}${subresource === undefined ? '' : `/${subresource}`}`;
}

async function forwardLate(): Promise<number> {
  let arrived = 0;
  for (const kept of lateRequests.splice(0)) arrived += (await kept.forward()).length;
  return arrived;
}

it(
  'never has two children for a pool, and ends as wanted, however often it is killed',
  { timeout: 300_000 },
  async () => {
    const { plane, client, recording } = world;
    const began = performance.now();
    const told: string[] = [];
    await select(names);
    const open = [...changes];
    let change = 'nothing yet';
    let running = false;
    const kill = async (): Promise<void> => plane.component('operator').kill();
    const start = async (round: number): Promise<void> => {
      const args = electionRounds.includes(round) ? withElection : withoutElection;
      await world.start({ kubeconfig, args });
    };

    let arrivedLate = 0;
    // Each moment once in every four rounds, so that each meets creation as well as update.
    const order = Array.from({ length: kills / moments.length }, () => shuffled(moments, random)).flat();
    for (let round = 1; round <= kills;) {
      if (await isSettled()) {
        arrivedLate += await forwardLate();
        change = (await open.shift()?.()) ?? 'nothing more';
      }
      const moment = order[round - 1] ?? 'late';
      const nth = 1 + Math.floor(random() * 20);
      const trap = setTrap(moment, nth, kill);
      // The process may die before it has said that it is healthy.
      if (!running) {
        await start(round).catch((error: unknown) => {
          if (!trap.sprung()) throw error;
        });
      }
      running = true;
      await eventually(async () => expect(trap.sprung() || (await isSettled())).toBe(true), 90_000);
      if (!trap.sprung()) {
        trap.remove();
        continue;
      }
      const write = trap.write();
      if (moment === 'with requests under way' || moment === 'late') await kill();
      await eventually(async () => expect(plane.component('operator').pid).toBeUndefined());
      trap.remove();
      running = false;
      const election = electionRounds.includes(round) ? ', leading by the Lease' : '';
      told.push(`${round}. ${change}: ${moment}, write ${nth} (${write})${election}`);
      round += 1;
    }
    await start(0);
    await eventually(expectSettled, 90_000);
    arrivedLate += await forwardLate();
    await eventually(expectSettled, 90_000);
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
