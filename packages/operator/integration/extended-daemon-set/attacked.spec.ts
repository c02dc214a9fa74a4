// Objects that nobody should write, and a cluster that changes below them, on a real control plane: each is answered by a condition or a
// refusal, writes stay bounded, and another object is served meanwhile.
import { extendedDaemonSets, extendedDaemonsetSettings, type ExtendedDaemonSet } from '@atoll/api';
import { isApiError, nodes, type LabelSelector, type StreamingClient } from '@atoll/kube';
import { AuditLog, type AuditEntry } from '@atoll/testbed';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  operatorUser,
  withoutElection,
  type OperatorControlPlane,
} from '../set-up/operator-control-plane.ts';
import { sharedOperatorControlPlane } from '../set-up/shared-operator-control-plane.ts';
import { eventually } from '../set-up/standing.ts';
import { observedObject, unlimited, type ObservedObject } from './observed-object.ts';

const namespace = 'default';
const nodeCount = 6;
const containers = [{ name: 'agent', image: 'agent:1' }];

let world: OperatorControlPlane;
let client: StreamingClient;
let log: AuditLog;
let bystander: ObservedObject;
let round = 0;

beforeAll(async () => {
  world = await sharedOperatorControlPlane({ fleet: { pools: ['a', 'b'], nodesPerPool: nodeCount / 2 } });
  ({ client } = world);
  await world.controlPlane.nodesReady();
  log = new AuditLog(world.controlPlane.auditLog ?? '');
  await world.start({ args: [...withoutElection, '--controllers=extended-daemon-set'] });
  bystander = observedObject(client, 'bystander');
  await bystander.create();
  await bystander.untilAll('agent:1', nodeCount);
}, 120_000);

afterAll(async () => {
  await log?.close();
  await world?.[Symbol.asyncDispose]();
});

beforeEach(() => {
  round += 1;
});

/** Another object is rolled out while the attack is under way. */
afterEach(async () => {
  await bystander.setImage(`agent:bystander-${round}`);
  await bystander.untilAll(`agent:bystander-${round}`, nodeCount);
});

/** What the operator has written of this resource, whose names begin so. */
async function writes(resource: string, prefix: string): Promise<readonly AuditEntry[]> {
  await log.readOn();
  return log.entries.filter(
    ({ user, verb, resource: of, dryRun, name = '' }) =>
      user === operatorUser &&
      !dryRun &&
      of === resource &&
      ['create', 'patch', 'update', 'delete'].includes(verb) &&
      name.startsWith(prefix),
  );
}

/** Waits until nothing has been written about these names for three seconds; yields how many writes there were of pods. */
async function untilQuiet(prefix: string): Promise<number> {
  const all = async (): Promise<number> =>
    (await Promise.all(written.map(async (resource) => writes(resource, prefix)))).flat().length;
  let [count, since] = [await all(), Date.now()];
  await eventually(async () => {
    const now = await all();
    if (now !== count) [count, since] = [now, Date.now()];
    expect(Date.now() - since).toBeGreaterThan(3_000);
  });
  return (await writes('pods', prefix)).length;
}

const written = [
  'pods',
  'extendeddaemonsets.datadoghq.com',
  'extendeddaemonsetreplicasets.datadoghq.com',
  'extendeddaemonsetsettings.datadoghq.com',
];

async function refusalOf(spec: object): Promise<string> {
  const template = { spec: { containers } };
  const object = { metadata: { namespace, name: 'refused' }, spec: { template, ...spec } };
  try {
    await client.create(extendedDaemonSets, object as never, { dryRun: true });
    return '';
  } catch (error) {
    if (isApiError(error)) return error.message;
    throw error;
  }
}

describe('a strategy', () => {
  it.each([
    ['is left out', {}, 'spec.strategy: Required value'],
    [
      'lets no node be unavailable',
      { strategy: { rollingUpdate: { maxUnavailable: '0%' } } },
      'maxUnavailable',
    ],
    ['lets none be, as a number', { strategy: { rollingUpdate: { maxUnavailable: 0 } } }, 'maxUnavailable'],
  ])('that %s is refused with its field', async (_, spec, message) => {
    expect(await refusalOf(spec)).toContain(message);
  });

  it('that says nothing has the defaults: the first pod at once, and why the others wait', async () => {
    const object = observedObject(client, 'defaulted');
    await object.create({}, {});
    await object.untilCondition('Ready', { status: 'False', reason: 'CreationLimitReached' });
    expect(await untilQuiet('defaulted')).toBeGreaterThan(0);
    // reconcileFrequency: a machine that takes so long until all is quiet sees the next one come.
    const times = (await writes('pods', 'defaulted')).map(({ receivedAt }) => receivedAt);
    expect(times.filter((at, index) => index > 0 && at - (times[index - 1] ?? 0) < 9_000)).toEqual([]);
    expect((await object.get()).spec.strategy).toEqual({});
    await object.remove();
  });
});

it('two objects on the same nodes have a pod each on every node, and leave those of the other alone', async () => {
  const [one, other] = [observedObject(client, 'twice'), observedObject(client, 'twice-more')];
  await Promise.all([one.create(), other.create()]);
  await one.untilAll('agent:1', nodeCount);
  await other.untilAll('agent:1', nodeCount);
  const before = (await other.pods()).map(({ metadata }) => metadata.uid).sort();
  await one.setImage('agent:2');
  await one.untilAll('agent:2', nodeCount);
  expect((await other.pods()).map(({ metadata }) => metadata.uid).sort()).toEqual(before);
  // Both names begin so: two creations each, and one replacement of the first.
  expect(await untilQuiet('twice')).toBe(4 * nodeCount);
  await Promise.all([one.remove(), other.remove()]);
});

describe('a template', () => {
  it('that names a node gets one pod, there, and no second one', async () => {
    const object = observedObject(client, 'pinned');
    await object.create({ nodeName: 'a-node-1' });
    await object.untilAll('agent:1', 1);
    expect((await object.pods()).map(({ spec }) => spec?.nodeName)).toEqual(['a-node-1']);
    expect(await untilQuiet('pinned')).toBe(1);
    await object.remove();
  });

  it('that names a node which is not there gets none, and reports it', async () => {
    const object = observedObject(client, 'nowhere');
    await object.create({ nodeName: 'nowhere' });
    await object.untilCondition('Ready', { message: expect.stringContaining('no node is to run a pod') });
    expect(await untilQuiet('nowhere')).toBe(0);
    await object.remove();
  });
});

describe('a selector', () => {
  it.each<[string, string, LabelSelector, string]>([
    ['no node', 'chosen-1', { matchLabels: { disk: 'tape' } }, 'no node is to run a pod'],
    [
      'nothing at all',
      'chosen-2',
      { matchExpressions: ['Exists', 'DoesNotExist'].map((operator) => ({ key: 'x', operator })) },
      'no node is to run a pod',
    ],
    [
      'its pods and no node',
      'chosen-3',
      { matchLabels: { app: 'chosen' } },
      'spec.selector selects nodes, not pods',
    ],
  ])('that matches %s makes no pod, and reports it', async (_, name, selector, message) => {
    const object = observedObject(client, name);
    const template = { metadata: { labels: { app: 'chosen' } }, spec: { containers } };
    await client.create(extendedDaemonSets, {
      metadata: { namespace, name },
      spec: { selector, strategy: unlimited, template },
    } as ExtendedDaemonSet);
    await eventually(async () => {
      const conditions = (await object.get()).status?.conditions ?? [];
      expect(conditions.map((each) => each.message).join()).toContain(message);
    });
    expect(await untilQuiet(name)).toBe(0);
    await object.remove();
  });

  it('that matches no node is corrected: every node gets one pod, once, also where the strategy has a canary', async () => {
    const object = observedObject(client, 'corrected');
    const canary = { replicas: 1, validationMode: 'manual' as const };
    await object.create({}, { ...unlimited, canary }, { selector: { matchLabels: { disk: 'tape' } } });
    await object.untilAll('agent:1', 0);
    await object.patch({ spec: { selector: null } });
    await object.untilAll('agent:1', nodeCount);
    // A canary would make and delete its pod again and again.
    expect(await untilQuiet('corrected')).toBe(nodeCount);
    await object.remove();
  });
});

const ofThousand = { timeout: 400_000 };

it(
  '1,000 settings of one object: the newest applies, each reports how it stands once, and nothing is written again',
  ofThousand,
  async () => {
    const object = observedObject(client, 'shaped');
    await object.create();
    await object.untilAll('agent:1', nodeCount);
    const count = 1_000;
    const settings = Array.from({ length: count }, (_, index) => ({
      metadata: { namespace, name: `set-${index}` },
      spec: {
        reference: { kind: 'ExtendedDaemonset', name: 'shaped' },
        // Half of them conflict on every node, half select none.
        nodeSelector: { matchLabels: index % 2 === 0 ? {} : { slot: `s${index}` } },
        containers: [{ name: 'agent', resources: { requests: { cpu: '1m' } } }],
      },
    }));
    for (let from = 0; from < count; from += 50)
      await Promise.all(
        settings.slice(from, from + 50).map(async (each) => client.create(extendedDaemonsetSettings, each)),
      );
    await eventually(async () => {
      const { items } = await client.list(extendedDaemonsetSettings, { namespace });
      const states = Map.groupBy(items, ({ status }) => status?.status);
      expect([states.get('valid')?.length, states.get('error')?.length]).toEqual([
        count / 2 + 1,
        count / 2 - 1,
      ]);
    }, 200_000);
    await untilQuiet('set-');
    // One write each, and one more where a newer setting took the place of one that was valid.
    const ofSettings = await writes('extendeddaemonsetsettings.datadoghq.com', 'set-');
    expect(ofSettings.length).toBeLessThan(2 * count);
    await object.untilAll('agent:1', nodeCount);
    await untilQuiet('shaped');
    const before = (await writes('pods', 'shaped')).length;
    // A node that changes has every setting judged anew, and nothing else is written for it.
    await world.controlPlane.labelNodes(['a-node-1'], { seen: 'yes' });
    await untilQuiet('set-');
    expect((await writes('pods', 'shaped')).length).toBe(before);
    expect((await writes('extendeddaemonsetsettings.datadoghq.com', 'set-')).length).toBe(ofSettings.length);
  },
);

it('a promotion while nodes disappear ends with one pod on each node that is left, and none that waits for one that is gone', async () => {
  const object = observedObject(client, 'promoted');
  const canary = { replicas: 2, duration: '1h', noRestartsDuration: '0s' };
  await object.create(
    {},
    { ...unlimited, rollingUpdate: { ...unlimited.rollingUpdate, maxUnavailable: 1 }, canary },
  );
  await object.untilAll('agent:1', nodeCount);
  await object.setImage('agent:2');
  const { canary: tried } = await object.untilState('Canary', {
    canary: { nodes: [expect.anything(), expect.anything()] },
  });
  const lost = new Set([...(tried?.nodes?.slice(0, 1) ?? []), 'b-node-3']);
  await Promise.all([
    object.patch({ spec: { strategy: { canary: { duration: '1s' } } } }),
    ...[...lost].map(async (name) => client.delete(nodes, { name })),
  ]);
  const left = nodeCount - lost.size;
  await object.untilAll('agent:2', left);
  await object.untilCondition('Ready', { status: 'True' });
  // Each node that is left had its pod replaced once, and a lost canary node may have had a successor.
  const made = (await writes('pods', 'promoted')).filter(({ verb }) => verb === 'create');
  expect(made.length).toBeLessThanOrEqual(2 * nodeCount + 1);
  await world.controlPlane.addNodes({ pools: ['b'], nodesPerPool: lost.size });
  await world.controlPlane.nodesReady();
  await object.remove();
});
