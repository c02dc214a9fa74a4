import { annotations, labels, nodePools } from '@atoll/api';
import { ApiError, nodes, type Node } from '@atoll/kube';
import { expect, test } from 'vitest';
import { FreshWorld } from '../../../simulation/examples/fresh-world.ts';
import { slotOf } from '../../../simulation/model/store.ts';
import { createNodePoolController } from '../controller.ts';
import { leaversKey } from './node-key.ts';

type Strings = Readonly<Record<string, string>>;

const { nodePool } = labels;
const hz = { metadata: { name: 'hz' }, spec: { labels: { zone: 'a' } } };
const counted = (...names: string[]) => ({ readyNodeNum: names.length, unreadyNodeNum: 0, nodes: names });

test('a node that refuses its note stays as found, and changes of its pool come to all others', () => {
  const it = start();
  it.world.put(nodePools, { ...hz, status: counted('n1', 'n2') });
  it.node('n1', { [nodePool]: 'hz', zone: 'b' }, { zone: 'a' });
  it.node('n2', { [nodePool]: 'hz', zone: 'a' });
  it.refuse('n1');
  it.rounds(3);
  it.give('hz', { zone: 'a', site: 'x' });
  it.rounds(3);
  expect(it.labels('n2')).toEqual({ [nodePool]: 'hz', zone: 'a', site: 'x' });
  it.setLabels('n2', { [nodePool]: 'hz', site: 'x' });
  it.refuse();
  it.rounds(3);
  expect(it.labels('n2')).toEqual({ [nodePool]: 'hz', zone: 'a', site: 'x' });
  expect(it.labels('n1')).toEqual({ [nodePool]: 'hz', zone: 'b', site: 'x' });
  expect(it.note('n1')).toBe('{"pool":"hz","labels":{"zone":"a"}}');
});

test('a node that refuses its note gets the value to which its pool changes', () => {
  const it = start();
  it.world.put(nodePools, { ...hz, status: counted('n1') });
  it.node('n1', { [nodePool]: 'hz', zone: 'b' });
  it.refuse('n1');
  it.rounds(3);
  it.give('hz', { zone: 'c' });
  it.rounds(3);
  it.refuse();
  it.rounds(3);
  expect(it.labels('n1')).toEqual({ [nodePool]: 'hz', zone: 'c' });
  expect(it.pool('hz').status).not.toHaveProperty('unnotedNodes');
});

test('another node of the name of one that refused its note is a node as any other', () => {
  const it = start();
  it.world.put(nodePools, { ...hz, status: counted('n1') });
  it.node('n1', { [nodePool]: 'hz' });
  it.refuse('n1');
  it.rounds(3);
  it.world.remove(nodes, { name: 'n1' });
  it.node('n1', { [nodePool]: 'hz' });
  it.refuse();
  it.rounds(3);
  expect(it.labels('n1')).toMatchObject({ zone: 'a' });
});

test('a node that joins while another refuses its note gets the labels, although its first write fails', () => {
  const it = start();
  it.world.put(nodePools, { ...hz, status: counted('n1') });
  it.node('n1', { [nodePool]: 'hz', zone: 'b' }, { zone: 'a' });
  it.node('n9', { [nodePool]: 'hz' });
  it.refuse('n1', 'n9');
  it.rounds(1);
  it.refuse();
  it.rounds(3);
  expect(it.labels('n9')).toMatchObject({ zone: 'a' });
  expect(it.labels('n1')).toMatchObject({ zone: 'b' });
});

test('a node with as many annotations as it may have keeps its labels without a note, and holds no other', () => {
  const it = start();
  it.world.put(nodePools, { ...hz, status: counted('n1', 'n2') });
  const inventory = { 'example.com/inventory': 'x'.repeat(262_060) };
  it.node('n1', { [nodePool]: 'hz', zone: 'b' }, { zone: 'a' }, inventory);
  it.node('n2', { [nodePool]: 'hz', zone: 'a' }, { zone: 'a' });
  it.rounds(3);
  it.setLabels('n2', { [nodePool]: 'hz' });
  it.rounds(3);
  expect(it.labels('n1')).toMatchObject({ zone: 'b' });
  expect(it.labels('n2')).toMatchObject({ zone: 'a' });
});

test('a NoExecute taint that somebody takes off comes back, while another node refuses its note', () => {
  const it = start();
  const gate = { key: 'gate', effect: 'NoExecute' } as const;
  it.world.put(nodePools, {
    metadata: { name: 'hz' },
    spec: { labels: { zone: 'a' }, taints: [gate] },
    status: counted('n1', 'n2'),
  });
  it.node('n1', { [nodePool]: 'hz', zone: 'a' });
  it.node('n2', { [nodePool]: 'hz', zone: 'a' });
  it.world.edit<Node>(nodes, { name: 'n2' }, (node) => ({ ...node, spec: { taints: [gate] } }));
  it.refuse('n1');
  it.rounds(3);
  it.world.edit<Node>(nodes, { name: 'n2' }, (node) => ({ ...node, spec: { taints: [] } }));
  it.rounds(3);
  expect(it.taints('n2')).toEqual([gate]);
  it.refuse();
  it.rounds(3);
  expect(it.taints('n1')).toEqual([]);
});

test('beside a node in no pool that refuses its note, a node that leaves its pool loses what that gave', () => {
  const it = start();
  it.world.put(nodePools, { ...hz, status: counted('n1') });
  it.node('n1', { [nodePool]: 'hz', zone: 'a' }, { zone: 'a' });
  it.node('left', { zone: 'a' }, { zone: 'a' });
  it.refuse('left');
  it.rounds(3);
  it.setLabels('n1', { zone: 'a' });
  it.rounds(3);
  expect(it.labels('n1')).toEqual({});
  it.refuse();
  it.rounds(3);
  expect(it.labels('left')).toEqual({ zone: 'a' });
  expect(it.note('left')).toBe('{"pool":"","labels":{"zone":"a"}}');
  expect(it.pool('hz').status).not.toHaveProperty('unnotedNodes');
});

test('beside a node in no pool that refuses its note, a new pool is one as any other', () => {
  const it = start();
  it.world.put(nodePools, { ...hz, status: counted() });
  it.node('left', { zone: 'a' }, { zone: 'a' });
  it.refuse('left');
  it.rounds(1);
  it.world.put(nodePools, { metadata: { name: 'bj' }, spec: {} });
  it.node('n5', { [nodePool]: 'bj' });
  it.rounds(1);
  it.give('bj', { site: 'x' });
  it.rounds(3);
  expect(it.labels('n5')).toMatchObject({ site: 'x' });
});

test('pools wait for no node in no pool that refuses its note, and the one that lists it once a minute at most', () => {
  const it = start();
  for (const name of ['hz', 'bj']) it.world.put(nodePools, { ...hz, metadata: { name }, status: counted() });
  it.node('left', { zone: 'a' }, { zone: 'a' });
  it.refuse('left');
  it.rounds(2);
  for (const _time of [1, 2, 3]) {
    it.world.now += 600_000;
    expect(it.requeueAfter('bj')).toBeUndefined();
    expect(it.requeueAfter('hz')).toBe(60_000);
  }
});

test('a pool that is being deleted takes no node in no pool into its list, and does not count as seen for it', () => {
  const it = start();
  const going = { name: 'hz', deletionTimestamp: '2026-11-01T09:00:00Z', finalizers: ['example.com/wait'] };
  it.world.put(nodePools, { ...hz, metadata: going, status: counted() });
  it.node('left', { zone: 'a' }, { zone: 'a' });
  it.refuse('left');
  it.rounds(2);
  expect(it.pool('hz').status?.observedGeneration).toBeUndefined();
});

test('a pool that cannot be read holds no other', () => {
  const it = start();
  it.world.put(nodePools, { ...hz, status: counted('n1') });
  it.world.put(nodePools, { metadata: { name: 'hidden' }, spec: {} });
  it.world.hidden.add(slotOf(nodePools, { name: 'hidden' }));
  it.node('n1', { [nodePool]: 'hz', zone: 'a' }, { zone: 'a' });
  it.node('n2', { [nodePool]: 'hidden', zone: 'b' }, { zone: 'b' });
  it.rounds(3);
  expect(it.pool('hz').status).toMatchObject({ observedGeneration: 1 });
  expect(it.pool('hz').status).not.toHaveProperty('unnotedNodes');
  expect(it.labels('n2')).toMatchObject({ zone: 'b' });
});

test('a pool whose list would be too long for a status does not count as seen', () => {
  const it = start();
  it.world.put(nodePools, { ...hz, status: counted('n1') });
  const long = Object.fromEntries(Array.from({ length: 700 }, (_, index) => [`k${index}`, 'x'.repeat(300)]));
  it.give('hz', long);
  it.node('n1', { [nodePool]: 'hz' });
  it.refuse('n1');
  it.rounds(2);
  expect(it.pool('hz').status?.observedGeneration).toBeUndefined();
  expect(it.pool('hz').status).not.toHaveProperty('unnotedNodes');
});

function start() {
  const world = new FreshWorld();
  const controller = createNodePoolController(world.readers);
  return {
    world,
    /** All keys, those of the pools first. */
    rounds: (count: number) => {
      for (let round = 0; round < count; round += 1) {
        for (const name of ['hz', 'bj', 'hidden', leaversKey]) {
          if (controller.observe({ name }) !== undefined) world.reconcile(controller, name);
        }
      }
    },
    requeueAfter: (name: string) => {
      const { requeueAt } = world.reconcile(controller, name).plan;
      return requeueAt === undefined ? undefined : requeueAt - world.now;
    },
    /** `record`: the labels that an old operator recorded; undefined: nothing. */
    node: (name: string, own: Strings, record?: Strings, notes: Strings = {}) => {
      const recorded =
        record === undefined ? {} : { [annotations.previousAttributes]: JSON.stringify({ labels: record }) };
      world.put<Node>(nodes, {
        metadata: { name, labels: own, annotations: { ...notes, ...recorded } },
        spec: { taints: [] },
        status: { conditions: [{ type: 'Ready', status: 'True' }] },
      });
    },
    /** These nodes refuse every write from now on, all others take it. */
    refuse: (...names: readonly string[]) => {
      world.refuse = (operation) =>
        operation.verb === 'patch' && operation.resource === nodes && names.includes(operation.key.name)
          ? denied
          : undefined;
    },
    give: (name: string, given: Strings) =>
      world.edit(nodePools, { name }, (pool) => ({ ...pool, spec: { ...pool.spec, labels: given } })),
    setLabels: (name: string, own: Strings) =>
      world.edit(nodes, { name }, (node) => ({ ...node, metadata: { ...node.metadata, labels: own } })),
    labels: (name: string) => world.get(nodes, { name }).metadata.labels,
    taints: (name: string) => world.get(nodes, { name }).spec?.taints,
    note: (name: string) => world.get(nodes, { name }).metadata.annotations?.[annotations.keptLabels],
    pool: (name: string) => world.get(nodePools, { name }),
  };
}

const denied = new ApiError({
  fate: 'refused',
  code: 403,
  reason: 'Forbidden',
  message: 'no',
  attempted: 'patch',
});
