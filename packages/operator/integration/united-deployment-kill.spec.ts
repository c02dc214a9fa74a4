// Twenty times `kill -9` in the midst of creation, update and scaling of 20 UnitedDeployments. `ATOLL_SEED=n` repeats a
// run.
import { conditionTypes, labels, unitedDeployments } from '@atoll/api';
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
import { apply } from './objects.ts';
import {
  operatorAccount,
  operatorUser,
  restless,
  startOperatorPlane,
  type OperatorPlane,
} from './operator-plane.ts';
import { seeded, seedOf } from './random.ts';
import {
  childResources,
  imageOf,
  namespace,
  setImage,
  united,
  type TemplateKind,
} from './united-deployment/objects.ts';
import { byType } from './united-deployment/standing.ts';
import { sumsBetween } from './united-deployment/sums-between.ts';

const seed = seedOf(process.env['ATOLL_SEED']);
const random = seeded(seed);
const kills = 20;
const children = ['deployments.apps', 'statefulsets.apps'];
const written = [...children, 'controllerrevisions.apps', 'uniteddeployments.apps.kruise.io'];
const subsets = [{ name: 'a' }, { name: 'b' }, { name: 'c' }];

/** What should be, as the changes leave it. */
interface Wanted {
  readonly name: string;
  readonly kind: TemplateKind;
  replicas: number;
  image: string;
}

/** Every fifth is of StatefulSets. */
const names = Array.from({ length: 20 }, (_, index) => `web-${String(index + 1).padStart(2, '0')}`);
const wanted: Wanted[] = [];

let world: OperatorPlane;
let proxy: FaultProxy;
let kubeconfig: string;

beforeAll(async () => {
  world = await startOperatorPlane({ fleet: { nodes: 3 } });
  const { plane } = world;
  proxy = await startFaultProxy({ target: plane, directory: plane.directory });
  kubeconfig = await proxy.kubeconfigFrom(await plane.kubeconfigFor(operatorAccount));
});

afterAll(async () => {
  await proxy?.close();
  await world?.[Symbol.asyncDispose]();
});

async function create(from: number, to: number): Promise<string> {
  for (const [index, name] of names.entries()) {
    if (index < from || index >= to) continue;
    const kind = index % 5 === 0 ? 'statefulSetTemplate' : 'deploymentTemplate';
    const each: Wanted = { name, kind, replicas: 2, image: 'nginx:1.27' };
    const workload = kind === 'statefulSetTemplate' ? { podManagementPolicy: 'Parallel' } : {};
    await apply(world.client, unitedDeployments, united({ ...each, subsets, workload }));
    wanted.push(each);
  }
  return `create ${to - from}`;
}

async function update(image: string): Promise<string> {
  for (const each of wanted) {
    await setImage(world.client, each.name, image, each.kind);
    each.image = image;
  }
  return `${wanted.length} to ${image}`;
}

async function scale(...totals: readonly number[]): Promise<string> {
  for (const [index, each] of wanted.entries()) {
    each.replicas = totals[index % totals.length] ?? 0;
    await world.client.scale(unitedDeployments, { namespace, name: each.name }, each.replicas);
  }
  return `${wanted.length} to ${totals.join(' or ')} replicas`;
}

const changes: readonly (() => Promise<string>)[] = [
  async () => create(0, 10),
  async () => scale(4, 1, 3),
  async () => create(10, 20),
  async () => update('nginx:1.28'),
  async () => scale(1, 3, 0, 2),
  async () => `${await update('nginx:1.29')} and ${await scale(2, 1)}`,
  async () => scale(1, 4),
  async () => `${await scale(2, 0)} and ${await update('nginx:1.30')}`,
];

async function expectSettled(): Promise<void> {
  const { client } = world;
  const found = await client.list(unitedDeployments, { namespace });
  const lists = await Promise.all(
    (['deploymentTemplate', 'statefulSetTemplate'] as const).map(async (kind) =>
      client.list(childResources[kind], { namespace, labelSelector: labels.subsetName }),
    ),
  );
  const live = lists.flatMap(({ items }) => items);
  for (const { name, replicas, image } of wanted) {
    const { metadata, status } = found.items.find((each) => each.metadata.name === name) ?? {};
    expect(status?.observedGeneration).toBe(metadata?.generation);
    expect(byType(status?.conditions)[conditionTypes.ready]?.status).toBe('True');
    const own = live.filter((child) => child.metadata.ownerReferences?.[0]?.uid === metadata?.uid);
    expect(own).toHaveLength(subsets.length);
    expect(new Set(own.map((child) => child.metadata.labels?.[labels.subsetName]))).toEqual(
      new Set(['a', 'b', 'c']),
    );
    const asked = own.map(({ spec }) => spec.replicas ?? 0);
    expect(asked.reduce((sum, each) => sum + each, 0)).toBe(replicas);
    expect(Math.max(...asked) - Math.min(...asked)).toBeLessThanOrEqual(1);
    expect(own.map(imageOf)).toEqual([image, image, image]);
    expect(status).toMatchObject({ replicas, readyReplicas: replicas, updatedReplicas: replicas });
  }
}

it(
  'never has two children for a subset nor a wrong sum, and ends as wanted, however often it is killed',
  { timeout: 300_000 },
  async () => {
    const { client, recording } = world;
    const began = performance.now();
    const { told, arrivedLate } = await killOften({
      world,
      proxy,
      kubeconfig,
      kills,
      random,
      written,
      changes,
      killsPerChange: 2,
      expectSettled,
    });
    const seconds = ((performance.now() - began) / 1000).toFixed(0);
    await recording.waitForQuiescence({
      user: operatorUser,
      except: restless,
      resources: written,
      quietMs: 2_000,
    });

    const history = await recording.history();
    const owners = await client.list(unitedDeployments, { namespace });
    const wasted = noWastedWrites({ user: operatorUser, except: restless })(history);
    const { total, byVerb } = countWrites(history, { user: operatorUser, except: restless });
    const created = history.events.filter(
      ({ resource, type }) => children.includes(resource) && type === 'ADDED',
    );
    const refused = writesOf(history).filter(
      ({ audit }) => audit.user === operatorUser && written.includes(audit.resource) && audit.code >= 400,
    );
    console.log(
      [
        `seed ${seed}: ${kills} kills in ${seconds} s, ${wanted.length} UnitedDeployments`,
        ...told.map((line) => `  ${line}`),
        `  ${total} writes: ${[...byVerb].map(([what, count]) => `${count} ${what}`).join(', ')}`,
        `  ${created.length} children created, ${wasted.length} writes that changed nothing`,
        `  ${arrivedLate} requests arrived after their sender's successor had finished; ${refused.length} were refused or given up`,
        ...wasted.map(({ message }) => `    ${message}`),
      ].join('\n'),
    );
    const violations = checkHistory(history, [
      atMostOneLiveChild({ resources: children, place: labels.subsetName }),
      sumsBetween(children),
      deletesCarryUid({ user: operatorUser }),
      touchesOnlyOwn({
        user: operatorUser,
        resources: [...children, 'controllerrevisions.apps'],
        ownerUids: new Set(owners.items.map(({ metadata }) => metadata.uid)),
      }),
    ]);
    if (violations.length > 0) {
      const ours = formatHistory(history, {
        where: (entry) => entry.kind === 'write' && entry.audit.user === operatorUser,
      });
      console.log(ours);
    }
    expect(violations).toEqual([]);
    expect(created).toHaveLength(3 * wanted.length);
    // What the dead left on its way finds its object there already, or newer.
    expect(wasted.length).toBeLessThanOrEqual(arrivedLate + kills);
  },
);
