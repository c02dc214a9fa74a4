import { describe, expect, test } from 'vitest';
import { annotations, labels, nodePools, type NodePool } from '@atoll/api';
import { nodePoolKind } from '@atoll/api/schema';
import { ApiError, nodes } from '@atoll/kube';
import { refusalOf } from '@atoll/kube/testing';
import type { CacheEvent, Node, Stored } from '@atoll/kube';
import { FreshWorld } from '../../simulation/examples/fresh-world.ts';
import { slotOf } from '../../simulation/model/store.ts';
import { leavesNothingUndone, refusedForAWhile } from '../../simulation/explorer/left-undone.ts';
import { planOf } from '../../simulation/explorer/planned.ts';
import { changedBackError } from '../engine/executor/answers/changed-back.ts';
import { createNodePoolController } from './controller.ts';
import { keysForNode, keysForNodePool } from './keys-for-event.ts';
import { leaversKey } from './nodes/node-key.ts';

const record = annotations.previousAttributes;
const edge = { [labels.poolType]: 'edge', [labels.oldPoolType]: 'edge' };
const hz: NodePool = {
  metadata: { name: 'hz', labels: edge },
  spec: { labels: { zone: 'a' }, taints: [{ key: 'edge', value: 'x', effect: 'NoSchedule' }] },
};

describe('a node that names a pool which does not exist', () => {
  const heldOf = (world: FreshWorld, key = 'typo') =>
    world
      .reconcile(createNodePoolController(world.readers), key)
      ?.plan.holds.map(({ reason, targets, problem, regarding }) => [
        reason,
        targets,
        problem,
        regarding?.map(({ kind, name }) => `${kind} ${name}`),
      ]);
  const nodePool = labels.nodePool;
  const desired = labels.desiredNodePool;

  test('is held, each on itself, until the pool is there', () => {
    const { world } = start();
    for (const name of ['n2', 'n1']) world.put(nodes, node(name, 'typo'));
    world.put(nodes, { metadata: { name: 'n3', labels: { [desired]: 'typo' } } });
    expect(heldOf(world)).toEqual([
      [
        'PoolNotFound',
        ['n1', 'n2', 'n3'],
        `the NodePool typo, which the label ${nodePool} or ${desired} names, does not exist. Create it, or correct the label of the node`,
        ['Node n1', 'Node n2', 'Node n3'],
      ],
    ]);
    world.put(nodePools, { ...hz, metadata: { name: 'typo', labels: edge } });
    expect(heldOf(world)).toEqual([]);
  });

  test('by the older label stays where it is meanwhile', () => {
    const { world } = start();
    world.put(nodePools, hz);
    world.put(nodes, {
      metadata: {
        name: 'n1',
        labels: { [nodePool]: 'hz', [desired]: 'typo' },
        annotations: { [annotations.followedPool]: 'hz' },
      },
    });
    expect(heldOf(world, 'hz')).toEqual([]);
    expect(heldOf(world)).toEqual([
      ['PoolNotFound', ['n1'], expect.stringContaining(`which the label ${desired} names`), ['Node n1']],
    ]);
    expect(world.get(nodes, { name: 'n1' }).metadata.labels).toMatchObject({ [nodePool]: 'hz' });
  });

  test('and asks for another that does not exist either, is held once by each', () => {
    const { world } = start();
    world.put(nodes, {
      metadata: {
        name: 'n1',
        labels: { [nodePool]: 'typo', [desired]: 'other' },
        annotations: { [annotations.followedPool]: 'hz' },
      },
    });
    for (const [key, label] of [
      ['typo', nodePool],
      ['other', desired],
    ] as const) {
      expect(heldOf(world, key)).toEqual([
        ['PoolNotFound', ['n1'], expect.stringContaining(`which the label ${label} names`), ['Node n1']],
      ]);
    }
  });

  test('by the older label, of a pool that is being deleted, is held, too', () => {
    const { world, controller } = start();
    world.put(nodePools, hz);
    world.put(nodePools, { metadata: { name: 'typo', labels: edge } });
    world.put(nodes, node('n2', 'typo'));
    world.edit(nodePools, { name: 'typo' }, (found) => ({
      ...found,
      metadata: { ...found.metadata, deletionTimestamp: '2026-11-01T10:00:00Z' },
    }));
    world.put(nodes, {
      metadata: {
        name: 'n1',
        labels: { [nodePool]: 'hz', [desired]: 'typo' },
        annotations: { [annotations.followedPool]: 'hz' },
      },
    });
    expect(heldOf(world, 'hz')).toEqual([]);
    expect(heldOf(world)).toEqual([
      [
        'PoolTerminating',
        ['n1'],
        `the NodePool typo, which the label ${desired} names, is being deleted and gets no new node`,
        ['Node n1'],
      ],
    ]);
    const { status } = world.get(nodePools, { name: 'typo' });
    expect(status).toMatchObject({ nodes: ['n2'] });
    expect(status?.conditions?.find(({ type }) => type === 'Ready')?.status).toBe('True');
    world.remove(nodePools, { name: 'typo' });
    expect(heldOf(world)?.map((held) => held.slice(0, 2))).toEqual([['PoolNotFound', ['n1', 'n2']]]);
    expect(world.untilSteady(controller, 'hz')).toEqual([]);
  });

  test('is not one that asks to leave, or has left', () => {
    const { world } = start();
    world.put(nodes, {
      metadata: {
        name: 'n1',
        labels: { [nodePool]: 'typo' },
        annotations: { [annotations.followedPool]: 'typo' },
      },
    });
    world.put(nodes, { metadata: { name: 'n2', annotations: { [record]: '{"labels":{"zone":"a"}}' } } });
    expect([heldOf(world), heldOf(world, leaversKey)]).toEqual([[], []]);
  });
});

describe('a pool', () => {
  test('puts its attributes on its nodes, one write each, then rests', () => {
    const { world, controller } = start();
    world.put(nodePools, hz);
    for (const name of ['n2', 'n1']) world.put(nodes, node(name, 'hz'));
    world.put(nodes, node('stranger', 'bj'));
    const [reconciled, ...more] = world.untilSteady(controller, 'hz');
    expect(reconciled?.plan.stages).toHaveLength(1);
    expect(reconciled?.outcome.results.map(({ step, did }) => [step.target, did])).toEqual([
      ['n1', 'done'],
      ['n2', 'done'],
    ]);
    expect(more).toEqual([]);
    for (const name of ['n1', 'n2']) {
      const written = world.get(nodes, { name });
      expect(written.metadata.labels).toEqual({ [labels.nodePool]: 'hz', zone: 'a' });
      expect(written.spec?.taints).toEqual(hz.spec?.taints);
    }
    expect(world.get(nodes, { name: 'stranger' }).metadata.labels).toEqual({ [labels.nodePool]: 'bj' });
  });

  test('counts its nodes and names them in order', () => {
    const { world, controller } = start();
    world.put(nodePools, hz);
    world.put(nodes, node('n2', 'hz'));
    world.put(nodes, node('n1', 'hz', 'False'));
    world.put(nodes, node('n3', 'hz', 'Unknown'));
    world.untilSteady(controller, 'hz');
    expect(world.get(nodePools, { name: 'hz' }).status).toMatchObject({
      readyNodeNum: 1,
      unreadyNodeNum: 2,
      nodes: ['n1', 'n2', 'n3'],
      observedGeneration: 1,
    });
    expect(conditionsOf(world)).toEqual({
      Ready: 'True PoolSynced',
      Progressing: 'False PoolSynced',
      Degraded: 'False PoolSynced',
    });
  });

  test('without nodes is ready, with an empty list', () => {
    const { world, controller } = start();
    world.put(nodePools, hz);
    world.untilSteady(controller, 'hz');
    expect(world.get(nodePools, { name: 'hz' }).status).toMatchObject({
      readyNodeNum: 0,
      unreadyNodeNum: 0,
      nodes: [],
    });
    expect(conditionsOf(world)['Ready']).toBe('True PoolSynced');
  });

  test('keeps what others wrote into its status', () => {
    const { world, controller } = start();
    const leader = { type: 'LeaderReady', status: 'True', reason: 'Elected' };
    world.put(nodePools, { ...hz, status: { leaderNum: 1, conditions: [leader] } });
    world.untilSteady(controller, 'hz');
    const { status } = world.get(nodePools, { name: 'hz' });
    expect(status?.leaderNum).toBe(1);
    expect(status?.conditions?.[0]).toEqual(leader);
  });

  test.each([
    ['True'],
    [{ type: 'Ready', status: 'True' }],
    [['Ready', null, { type: 'Odd', status: true }]],
  ])(
    'whose conditions were stored before there was a schema, as %j, is counted and said to be ready',
    (conditions) => {
      const { world, controller } = start();
      world.put(nodePools, { ...hz, status: { conditions: conditions as unknown as [] } });
      world.put(nodes, node('n1', 'hz'));
      world.untilSteady(controller, 'hz');
      const { status } = world.get(nodePools, { name: 'hz' });
      expect(status).toMatchObject({ nodes: ['n1'] });
      expect(conditionsOf(world)['Ready']).toBe('True PoolSynced');
      expect(nodePoolKind.status.safeParse(status).error).toBeUndefined();
    },
  );

  test('that cannot be read takes nothing from its nodes', () => {
    const { world, controller } = joined();
    const before = world.get(nodes, { name: 'n1' });
    world.hidden.add(slotOf(nodePools, { name: 'hz' }));
    expect(world.untilSteady(controller, 'hz')).toEqual([]);
    expect(world.get(nodes, { name: 'n1' })).toEqual(before);
    world.hidden.clear();
    world.remove(nodePools, { name: 'hz' });
    world.untilSteady(controller, 'hz');
    expect(world.get(nodes, { name: 'n1' }).metadata.labels).not.toHaveProperty('zone');
  });

  test('never writes the membership label, whatever its spec is', () => {
    const { world, controller } = start();
    const spec = { labels: { [labels.nodePool]: 'bj', [labels.desiredNodePool]: 'bj', ok: '1' } };
    world.put(nodePools, { ...hz, spec });
    world.put(nodes, node('n1', 'hz'));
    world.untilSteady(controller, 'hz');
    expect(world.get(nodes, { name: 'n1' }).metadata.labels).toEqual({ [labels.nodePool]: 'hz', ok: '1' });
  });

  test('marks the nodes of a host-network pool', () => {
    const { world, controller } = start();
    world.put(nodePools, { ...hz, spec: { hostNetwork: true } });
    world.put(nodes, node('n1', 'hz'));
    world.untilSteady(controller, 'hz');
    expect(world.get(nodes, { name: 'n1' }).metadata.labels?.[labels.hostNetwork]).toBe('true');
  });

  test('guards every node write with the version that it was decided on', () => {
    const { world, controller } = start();
    world.put(nodePools, hz);
    const { metadata } = world.put(nodes, node('n1', 'hz'));
    const [step] = planOf(controller, observed(world), world.now).stages.flatMap((stage) => stage.steps);
    expect(step).toMatchObject({ do: 'patch', uid: metadata.uid, resourceVersion: metadata.resourceVersion });
  });
});

test('its own status enqueues it where a plan finds more to do', () => {
  // Whether the pool was seen is a number, and decides about labels; but that is written only when the notes say the same.
  const pool = { ...hz, spec: { ...hz.spec, labels: {}, annotations: { site: 'x' } } };
  const tried = leavesNothingUndone({
    resource: nodePools,
    object: pool,
    begin: () => {
      const { world, controller } = start();
      world.put(nodePools, pool);
      return { world, controller };
    },
    acts: [
      (world) => void world.put(nodes, node('n1', 'hz')),
      ...refusedForAWhile(nodes, (world) => void world.put(nodes, node('n2', 'hz'))),
    ],
  });
  expect(tried).toBeGreaterThan(20);
});

describe('a node that refuses', () => {
  test('stops no other, is named at once, and turns the pool Degraded after a minute', () => {
    const { world, controller } = start();
    world.put(nodePools, hz);
    for (const name of ['n1', 'n2', 'n3']) world.put(nodes, node(name, 'hz'));
    world.refuse = (operation) =>
      operation.verb === 'patch' && operation.key.name === 'n2' ? forbidden() : undefined;
    world.reconcile(controller, 'hz');
    expect(world.get(nodes, { name: 'n1' }).metadata.labels?.['zone']).toBe('a');
    expect(world.get(nodes, { name: 'n3' }).metadata.labels?.['zone']).toBe('a');
    expect(conditionsOf(world)).toMatchObject({ Ready: 'False NodeRefused', Degraded: 'False NodeRefused' });
    const ready = world
      .get(nodePools, { name: 'hz' })
      .status?.conditions?.find(({ type }) => type === 'Ready');
    expect(ready?.message).toContain('n2: ');
    expect(ready?.message).toContain('refused by a policy');

    expect(planOf(controller, observed(world), world.now).requeueAt).toBe(world.now + 60_000);
    world.now += 60_000;
    world.reconcile(controller, 'hz');
    expect(conditionsOf(world)).toMatchObject({ Degraded: 'True NodeRefused', Stalled: 'True NodeRefused' });
    expect(world.reconcile(controller, 'hz').statusWritten).toBe(false);

    world.refuse = () => undefined;
    world.untilSteady(controller, 'hz');
    expect(conditionsOf(world)).toEqual({
      Ready: 'True PoolSynced',
      Progressing: 'False PoolSynced',
      Degraded: 'False PoolSynced',
    });
  });
});

test('a pool that cannot be labelled with its type names the nodes that are refused, too', () => {
  const { world, controller } = start();
  world.put(nodePools, { ...hz, metadata: { name: 'hz' } });
  world.put(nodes, node('n1', 'hz'));
  world.refuse = (operation) =>
    operation.verb === 'patch' && operation.subresource === undefined ? forbidden() : undefined;
  world.reconcile(controller, 'hz');
  const ready = world.get(nodePools, { name: 'hz' }).status?.conditions?.find(({ type }) => type === 'Ready');
  expect(ready?.reason).toBe('PoolRefused');
  expect(ready?.message).toMatch(/^cannot label the pool .*; and cannot write the nodes n1: /);
});

test('nodes that are refused for different causes are named each with its own, and of many causes the first', () => {
  const { world, controller } = start();
  world.put(nodePools, hz);
  const names = ['n1', 'n2', 'n3', 'n4', 'n5', 'n6'];
  for (const name of names) world.put(nodes, node(name, 'hz'));
  const answers = (causes: readonly string[]) => {
    world.refuse = (operation) => {
      const name = operation.verb === 'patch' ? operation.key.name : '';
      const cause = causes[names.indexOf(name)];
      return cause === undefined
        ? undefined
        : refusalOf(403, `patch nodes ${name}`, `nodes "${name}" is forbidden: ${cause} on ${name}.`);
    };
    world.reconcile(controller, 'hz');
    const { conditions } = world.get(nodePools, { name: 'hz' }).status ?? {};
    return conditions?.find(({ type }) => type === 'Ready')?.message?.split('; and ');
  };
  expect(answers(['quota', 'label', 'quota', 'label', 'quota', 'quota'])).toEqual([
    expect.stringMatching(
      /^cannot write the nodes n1, n3, n5 and 1 more: .*nodes "n1" is forbidden: quota on n1$/,
    ),
    expect.stringMatching(/^cannot write the nodes n2, n4: .*nodes "n2" is forbidden: label on n2$/),
  ]);
  expect(answers(['quota', 'label', 'quota', 'taint', 'other', 'another'])).toEqual([
    expect.stringMatching(/^cannot write the nodes n1, n3: .*quota on n1$/),
    expect.stringMatching(/^cannot write the nodes n2: .*label on n2$/),
    expect.stringMatching(/^cannot write the nodes n4: .*taint on n4$/),
    'cannot write the nodes n5, n6, with other answers',
  ]);
});

test.each([
  ['is refused', forbidden(), 'PoolRefused'],
  ['is changed back each time', changedBackError('patch nodepools hz'), 'ChangedBack'],
  ['is not answered', unanswered(), 'PoolSynced'],
])('the label of a pool that %s is in its condition, or no matter of people', (_, error, reason) => {
  const { world, controller } = start();
  world.put(nodePools, { ...hz, metadata: { name: 'hz' } });
  world.refuse = (operation) =>
    operation.verb === 'patch' && operation.subresource === undefined ? error : undefined;
  world.reconcile(controller, 'hz');
  const { conditions } = world.get(nodePools, { name: 'hz' }).status ?? {};
  expect(conditions?.find(({ type }) => type === 'Ready')?.reason).toBe(reason);
});

describe('a node that leaves', () => {
  test('loses what the pool put there, and keeps its own', () => {
    const { world, controller } = joined();
    relabel(world, undefined);
    world.reconcile(controller, leaversKey);
    expect(world.get(nodes, { name: 'n1' }).metadata).toMatchObject({
      labels: { mine: '1' },
      annotations: {},
    });
    expect(world.get(nodes, { name: 'n1' }).spec?.taints).toEqual([]);
    expect(controller.observe({ name: leaversKey })).toBeUndefined();
  });

  test('is cleaned by its new pool when it moves', () => {
    const { world, controller } = joined();
    world.put(nodePools, { metadata: { name: 'bj' }, spec: { labels: { tier: 't' } } });
    relabel(world, 'bj');
    world.reconcile(controller, 'hz');
    world.untilSteady(controller, 'bj');
    const { metadata } = world.get(nodes, { name: 'n1' });
    expect(metadata.labels).toEqual({ [labels.nodePool]: 'bj', mine: '1', tier: 't' });
    expect(metadata.annotations?.[record]).toBe('{"labels":{"tier":"t"}}');
  });

  test('is cleaned when its pool has vanished, and gets everything again when the pool comes back', () => {
    const { world, controller } = joined();
    world.remove(nodePools, { name: 'hz' });
    world.reconcile(controller, 'hz');
    expect(world.get(nodes, { name: 'n1' }).metadata.labels).toEqual({ [labels.nodePool]: 'hz', mine: '1' });
    world.put(nodePools, hz);
    world.untilSteady(controller, 'hz');
    expect(world.get(nodes, { name: 'n1' }).metadata.labels?.['zone']).toBe('a');
  });

  test('is not touched while the pools have not all been read', () => {
    const { world, controller } = joined();
    world.unsynced.add('nodePools');
    const snapshot = controller.observe({ name: 'hz' });
    expect(snapshot).toBeDefined();
    if (snapshot === undefined) return;
    const plan = planOf(controller, snapshot, world.now);
    expect(plan.stages).toEqual([]);
    // There is no pool that an event about it could regard.
    expect(plan.holds).toEqual([]);
  });
});

describe('a node event', () => {
  const plain = stored(node('n1', 'hz'));
  const rows: readonly { title: string; event: CacheEvent<Node>; keys: readonly string[] }[] = [
    { title: 'a new member enqueues its pool', event: { type: 'added', object: plain }, keys: ['hz'] },
    { title: 'a deleted member enqueues its pool', event: { type: 'deleted', object: plain }, keys: ['hz'] },
    {
      title: 'a node of no pool enqueues nothing',
      event: { type: 'added', object: stored(node('n1')) },
      keys: [],
    },
    { title: 'a heartbeat enqueues nothing', event: updated(plain, stored(node('n1', 'hz'), '2')), keys: [] },
    {
      title: 'a Ready flip enqueues the pool',
      event: updated(plain, stored(node('n1', 'hz', 'False'))),
      keys: ['hz'],
    },
    {
      title: 'a move enqueues both pools',
      event: updated(plain, stored(node('n1', 'bj'))),
      keys: ['hz', 'bj'],
    },
    { title: 'a join enqueues the pool', event: updated(stored(node('n1')), plain), keys: ['hz'] },
    {
      title: 'a leave enqueues the pool, and the key that cleans up',
      event: updated(plain, stored({ metadata: { name: 'n1', annotations: { [record]: '{}' } } })),
      keys: ['hz', leaversKey],
    },
    {
      title: 'drift on a taint enqueues the pool',
      event: updated(
        plain,
        stored({ ...node('n1', 'hz'), spec: { taints: [{ key: 'x', effect: 'NoExecute' }] } }),
      ),
      keys: ['hz'],
    },
    {
      title: 'drift on an annotation enqueues the pool',
      event: updated(
        plain,
        stored({ ...plain, metadata: { ...plain.metadata, annotations: { note: 'n' } } }),
      ),
      keys: ['hz'],
    },
    {
      title: 'a label that becomes empty enqueues the pool',
      event: updated(
        stored(node('n1', 'hz', 'True', { a: '1' })),
        stored(node('n1', 'hz', 'True', { a: '' })),
      ),
      keys: ['hz'],
    },
  ];
  test.each(rows)('$title', ({ event, keys }) => {
    expect(keysForNode(event)).toEqual(keys);
  });
});

describe('a node that was refused', () => {
  const endsRefusal = (event: CacheEvent<Node>): boolean | undefined => {
    const { world, controller } = start();
    const found = controller.sources.find(({ reader }) => reader === world.readers.nodes);
    return found?.endsRefusal?.(event);
  };
  const plain = stored(node('n1', 'hz'));

  test('is tried again at once when nodes come and go, or their labels change', () => {
    expect(endsRefusal({ type: 'added', object: plain })).toBe(true);
    expect(endsRefusal({ type: 'deleted', object: plain })).toBe(true);
    expect(endsRefusal(updated(plain, stored(node('n1', 'bj'))))).toBe(true);
  });

  test('is not tried again by what is written to nodes all the time', () => {
    expect(endsRefusal(updated(plain, stored(node('n1', 'hz', 'False'))))).toBe(false);
    const noted = { ...plain, metadata: { ...plain.metadata, annotations: { a: 'b' } } };
    expect(endsRefusal(updated(plain, noted))).toBe(false);
  });
});

describe('a pool event', () => {
  test('enqueues the pools of nodes that ask to go there when the pool comes or goes, and only then', () => {
    const { world } = start();
    const asking = { [labels.desiredNodePool]: 'bj' };
    const { metadata } = node('n1', 'hz', 'True', asking);
    world.put(nodes, { metadata: { ...metadata, annotations: { [annotations.followedPool]: 'hz' } } });
    world.put(nodes, node('n2', 'bj'));
    const pool = world.put(nodePools, { metadata: { name: 'bj' } });
    const ending = { ...pool, metadata: { ...pool.metadata, deletionTimestamp: '2026-11-01T10:00:00Z' } };
    const enqueues = (event: CacheEvent<NodePool>) => keysForNodePool(world.readers.nodes, event);
    expect(enqueues({ type: 'deleted', object: pool })).toEqual(['bj', 'hz']);
    expect(enqueues({ type: 'added', object: pool })).toEqual(['bj', 'hz']);
    expect(enqueues({ type: 'updated', old: pool, object: ending })).toEqual(['bj', 'hz']);
    expect(enqueues({ type: 'updated', old: pool, object: pool })).toEqual(['bj']);
  });
});

function start() {
  const world = new FreshWorld();
  return { world, controller: createNodePoolController(world.readers) };
}

/** A node with a label of its own, which has joined hz. */
function joined() {
  const { world, controller } = start();
  world.put(nodePools, hz);
  world.put(nodes, node('n1', 'hz', 'True', { mine: '1' }));
  world.untilSteady(controller, 'hz');
  return { world, controller };
}

function relabel(world: FreshWorld, pool: string | undefined): void {
  world.edit(nodes, { name: 'n1' }, (found) => {
    const { [labels.nodePool]: _left, ...rest } = found.metadata.labels ?? {};
    const changed = pool === undefined ? rest : { ...rest, [labels.nodePool]: pool };
    return { ...found, metadata: { ...found.metadata, labels: changed } };
  });
}

function observed(world: FreshWorld) {
  const snapshot = createNodePoolController(world.readers).observe({ name: 'hz' });
  if (snapshot === undefined) throw new Error('no pool hz');
  return snapshot;
}

function conditionsOf(world: FreshWorld): Record<string, string> {
  const { conditions = [] } = world.get(nodePools, { name: 'hz' }).status ?? {};
  return Object.fromEntries(conditions.map(({ type = '', status, reason }) => [type, `${status} ${reason}`]));
}

function node(
  name: string,
  pool?: string,
  ready = 'True',
  more: Readonly<Record<string, string>> = {},
): Node {
  const member = pool === undefined ? {} : { [labels.nodePool]: pool };
  return {
    metadata: { name, labels: { ...member, ...more } },
    status: { conditions: [{ type: 'Ready', status: ready }] },
  };
}

function stored(object: Node, resourceVersion = '1'): Stored<Node> {
  const metadata = {
    ...object.metadata,
    uid: 'u',
    resourceVersion,
    creationTimestamp: '2026-11-01T10:00:00Z',
  };
  return { ...object, metadata };
}

function updated(old: Stored<Node>, object: Stored<Node>): CacheEvent<Node> {
  return { type: 'updated', old, object };
}

function unanswered(): ApiError {
  const message = 'no answer';
  return new ApiError({ fate: 'in-doubt', code: 0, reason: 'Timeout', message, attempted: 'patch' });
}

function forbidden(): ApiError {
  return refusalOf(403, 'patch nodes n2', 'refused by a policy');
}
