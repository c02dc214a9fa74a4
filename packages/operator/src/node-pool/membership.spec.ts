import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { annotations, labels, nodePools, type NodePool } from '@atoll/api';
import { ApiError, nodes, type Node } from '@atoll/kube';
import { FreshWorld } from '../../simulation/examples/fresh-world.ts';
import { createNodePoolController } from './controller.ts';
import { membershipOf, type Membership } from './membership.ts';
import { keyInCharge, leaversKey, poolKeysOf } from './nodes/node-key.ts';

describe('what a node asks for', () => {
  const rows: readonly (readonly [string, Labels, Membership['request']])[] = [
    ['nothing, without labels', {}, undefined],
    ['nothing, with the label that decides', { current: 'a' }, undefined],
    ['nothing more, when it was followed', { current: 'a', desired: 'a', followed: 'a' }, undefined],
    ['to join from no pool', { desired: 'a' }, { does: 'join', pool: 'a' }],
    ['to move', { current: 'a', desired: 'b', followed: 'a' }, { does: 'join', pool: 'b' }],
    ['to leave', { current: 'a', followed: 'a' }, { does: 'leave' }],
    ['to note what is so already', { current: 'a', desired: 'a' }, { does: 'note', pool: 'a' }],
    ['only to note what was decided before us', { current: 'a', desired: 'b' }, { does: 'note', pool: 'b' }],
    [
      'nothing, when somebody wrote the other label since',
      { current: 'b', desired: 'a', followed: 'a' },
      undefined,
    ],
    ['nothing, when somebody took it out since', { desired: 'a', followed: 'a' }, undefined],
    ['only to forget, when it went elsewhere since', { current: 'b', followed: 'a' }, { does: 'drop-note' }],
    ['nothing, with an empty label', { desired: '' }, undefined],
  ];
  test.each(rows)('%s', (_title, given, request) => {
    expect(membershipOf(node(given)).request).toEqual(request);
  });

  test('is looked after by exactly one key, which is one of those that are woken', () => {
    const name = fc.option(fc.constantFrom('a', 'b', ''), { nil: undefined });
    const shape = fc.record({ current: name, desired: name, followed: name, record: fc.boolean() });
    fc.assert(
      fc.property(shape, fc.subarray(['a', 'b']), (given, existing) => {
        const keys = poolKeysOf(node(given));
        const key = keyInCharge(node(given), (pool) => existing.includes(pool));
        expect(new Set(keys).size).toBe(keys.length);
        const isRight =
          key === undefined ? !keys.some((each) => existing.includes(each)) : keys.includes(key);
        expect(isRight).toBe(true);
      }),
    );
  });

  test('is followed once: whatever the labels, two rounds over all keys come to rest', () => {
    const name = fc.option(fc.constantFrom('a', 'b', 'gone'), { nil: undefined });
    const shape = fc.record({ current: name, desired: name, followed: name, record: fc.boolean() });
    fc.assert(
      fc.property(fc.array(shape, { minLength: 1, maxLength: 5 }), (changes) => {
        const world = twoPools();
        world.put(nodes, node({}));
        for (const { current, desired } of changes) {
          relabel(world, { [labels.nodePool]: current, [labels.desiredNodePool]: desired });
          round(world);
          round(world);
          const before = JSON.stringify(world.get(nodes, { name: 'n1' }));
          round(world);
          expect(JSON.stringify(world.get(nodes, { name: 'n1' }))).toBe(before);
        }
      }),
      { numRuns: 60 },
    );
  });
});

describe('a node with the older label', () => {
  test('joins, moves and leaves, each in one write, and takes nothing along', () => {
    const world = twoPools();
    world.put(nodes, node({ desired: 'a' }));
    expect(round(world)).toEqual(['n1 MembershipFollowed']);
    expect(labelsOf(world)).toEqual({
      [labels.nodePool]: 'a',
      [labels.desiredNodePool]: 'a',
      zone: 'a',
      onlyA: '1',
    });
    relabel(world, { [labels.desiredNodePool]: 'b' });
    expect(round(world)).toEqual(['n1 MembershipFollowed']);
    expect(labelsOf(world)).toEqual({ [labels.nodePool]: 'b', [labels.desiredNodePool]: 'b', zone: 'b' });
    expect(statusOf(world, 'a')).toMatchObject({ nodes: [] });
    expect(statusOf(world, 'b')).toMatchObject({ nodes: ['n1'] });
    relabel(world, { [labels.desiredNodePool]: undefined });
    expect(round(world)).toEqual(['n1 MembershipFollowed']);
    expect(labelsOf(world)).toEqual({});
    expect(world.get(nodes, { name: 'n1' }).metadata.annotations).toEqual({});
    expect(statusOf(world, 'b')).toMatchObject({ nodes: [] });
  });

  test('stays where it is until the pool that it asks for exists', () => {
    const world = twoPools();
    world.put(nodes, node({ current: 'a', desired: 'a', followed: 'a' }));
    round(world);
    relabel(world, { [labels.desiredNodePool]: 'c' });
    round(world);
    expect(labelsOf(world)).toMatchObject({ [labels.nodePool]: 'a', zone: 'a' });
    expect(statusOf(world, 'a')).toMatchObject({ nodes: ['n1'] });
    world.put(nodePools, { metadata: { name: 'c' } });
    round(world);
    expect(labelsOf(world)).toEqual({ [labels.nodePool]: 'c', [labels.desiredNodePool]: 'c' });
  });

  test('of an older release is only noted, and moves with the next change of it', () => {
    const world = twoPools();
    world.put(nodes, node({ current: 'a', desired: 'a' }));
    round(world);
    expect(world.get(nodes, { name: 'n1' }).metadata.annotations?.[annotations.followedPool]).toBe('a');
    relabel(world, { [labels.desiredNodePool]: 'b' });
    round(world);
    expect(labelsOf(world)[labels.nodePool]).toBe('b');
  });

  test('that contradicts the newer one when it is first seen moves nothing, and is reported once', () => {
    const world = twoPools();
    world.put(nodes, node({ current: 'a', desired: 'b' }));
    const controller = createNodePoolController(world.readers);
    const { plan } = world.reconcile(controller, 'a');
    const events = plan.stages.flatMap(({ steps }) => steps).filter((step) => step.do === 'event');
    expect(events).toMatchObject([
      { event: { reason: 'DesiredPoolIgnored', regarding: { kind: 'Node', name: 'n1' } } },
    ]);
    expect(labelsOf(world)[labels.nodePool]).toBe('a');
    expect(world.untilSteady(controller, 'a')).toEqual([]);
  });

  test('that asks to leave is no member any more, though it refuses to be written', () => {
    const world = twoPools();
    world.put(nodes, node({ current: 'a', desired: 'a', followed: 'a' }));
    round(world);
    relabel(world, { [labels.desiredNodePool]: undefined });
    const refusal = {
      fate: 'refused',
      code: 403,
      reason: 'Forbidden',
      message: 'no',
      attempted: 'patch',
    } as const;
    world.refuse = (operation) => (operation.resource === nodes ? new ApiError(refusal) : undefined);
    world.reconcile(createNodePoolController(world.readers), 'a');
    const status = statusOf(world, 'a');
    expect(status).toMatchObject({ nodes: [] });
    expect(status?.conditions?.find(({ type }) => type === 'Ready')).toMatchObject({ reason: 'NodeRefused' });
  });

  test('does not bind the one who writes the newer one himself', () => {
    const world = twoPools();
    world.put(nodes, node({ desired: 'a' }));
    round(world);
    relabel(world, { [labels.nodePool]: 'b' });
    round(world);
    relabel(world, { [labels.nodePool]: undefined });
    round(world);
    expect(labelsOf(world)).toEqual({ [labels.desiredNodePool]: 'a' });
    relabel(world, { [labels.desiredNodePool]: undefined });
    round(world);
    expect(world.get(nodes, { name: 'n1' }).metadata.annotations).toEqual({});
  });
});

describe('a pool', () => {
  test('writes its type under both keys, in lower case, and writes it again', () => {
    const world = twoPools();
    world.put(nodePools, { metadata: { name: 'c', labels: { mine: '1' } }, spec: { type: 'Cloud' } });
    const controller = createNodePoolController(world.readers);
    world.untilSteady(controller, 'c');
    const cloud = { mine: '1', [labels.poolType]: 'cloud', [labels.oldPoolType]: 'cloud' };
    expect(world.get(nodePools, { name: 'c' }).metadata.labels).toEqual(cloud);
    expect(world.get(nodePools, { name: 'c' }).status?.observedGeneration).toBe(1);
    world.edit(nodePools, { name: 'c' }, (pool) => ({
      ...pool,
      metadata: { ...pool.metadata, labels: { mine: '1' } },
    }));
    world.untilSteady(controller, 'c');
    expect(world.get(nodePools, { name: 'c' }).metadata.labels).toEqual(cloud);
    world.untilSteady(controller, 'a');
    expect(world.get(nodePools, { name: 'a' }).metadata.labels).toMatchObject({ [labels.poolType]: 'edge' });
  });

  test('that may not be labelled shows why, and its nodes are looked after all the same', () => {
    const world = twoPools();
    world.put(nodes, node({ current: 'a' }));
    const refusal = {
      fate: 'refused',
      code: 403,
      reason: 'Forbidden',
      attempted: 'patch nodepools',
    } as const;
    const error = new ApiError({ ...refusal, message: 'failed calling webhook "mnodepool.kb.io"' });
    world.refuse = (operation) =>
      operation.resource === nodePools && !('subresource' in operation) ? error : undefined;
    const controller = createNodePoolController(world.readers);
    world.reconcile(controller, 'a');
    expect(labelsOf(world)).toMatchObject({ zone: 'a' });
    const found = statusOf(world, 'a')?.conditions?.find(({ type }) => type === 'Ready');
    expect(found).toMatchObject({ status: 'False', reason: 'PoolRefused' });
    expect(found?.message).toContain('mnodepool.kb.io');
    world.refuse = () => undefined;
    world.untilSteady(controller, 'a');
    const after = statusOf(world, 'a')?.conditions?.find(({ type }) => type === 'Ready');
    expect(after).toMatchObject({ status: 'True' });
  });

  test('that a thousand nodes join writes each of them once', () => {
    const world = twoPools();
    for (let index = 0; index < 1_000; index += 1) {
      world.put(nodes, { metadata: { name: `n${index}`, labels: { [labels.desiredNodePool]: 'a' } } });
    }
    const controller = createNodePoolController(world.readers);
    const [first, ...more] = world.untilSteady(controller, 'a');
    expect(first?.outcome.results.filter(({ step }) => step.target !== undefined)).toHaveLength(1_000);
    expect(more).toEqual([]);
  });

  test('takes the marker of a host-network pool, which a webhook had put on a node, along when the node goes', () => {
    const world = twoPools();
    world.put(nodePools, { metadata: { name: 'h' }, spec: { hostNetwork: true } });
    world.put(nodes, {
      metadata: { name: 'n1', labels: { [labels.nodePool]: 'h', [labels.hostNetwork]: 'true' } },
    });
    const controller = createNodePoolController(world.readers);
    world.untilSteady(controller, 'h');
    relabel(world, { [labels.nodePool]: 'a' });
    world.untilSteady(controller, 'a');
    expect(labelsOf(world)).not.toHaveProperty([labels.hostNetwork]);
  });
});

describe('a refusal about a node', () => {
  test('whose pool does not exist regards the node', () => {
    const world = twoPools();
    const record = { [annotations.previousAttributes]: '{"labels":{"zone":"a"}}' };
    for (const [name, pool] of [
      ['n1', 'gone'],
      ['n2', undefined],
    ] as const) {
      const found = { zone: 'a', ...(pool === undefined ? {} : { [labels.nodePool]: pool }) };
      world.put(nodes, { metadata: { name, labels: found, annotations: record } });
    }
    const controller = createNodePoolController(world.readers);
    for (const [key, name] of [
      ['gone', 'n1'],
      [leaversKey, 'n2'],
    ] as const) {
      const [step] = world.reconcile(controller, key).plan.stages[0]?.steps ?? [];
      expect(step).toMatchObject({ ifRefused: 'NodeRefused', regarding: { kind: 'Node', name } });
    }
  });
});

interface Labels {
  readonly current?: string | undefined;
  readonly desired?: string | undefined;
  readonly followed?: string | undefined;
  readonly record?: boolean;
}

function node({ current, desired, followed, record = false }: Labels): Node {
  return {
    metadata: {
      name: 'n1',
      labels: present({ [labels.nodePool]: current, [labels.desiredNodePool]: desired }),
      annotations: present({
        [annotations.followedPool]: followed,
        [annotations.previousAttributes]: record ? '{}' : undefined,
      }),
    },
  };
}

function present(map: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const entries = Object.entries(map).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return Object.fromEntries(entries);
}

function twoPools(): FreshWorld {
  const world = new FreshWorld();
  const a: NodePool = { metadata: { name: 'a' }, spec: { labels: { zone: 'a', onlyA: '1' } } };
  world.put(nodePools, a);
  world.put(nodePools, { metadata: { name: 'b' }, spec: { labels: { zone: 'b' } } });
  return world;
}

/** One reconcile of every key that there can be; what was written to nodes. */
function round(world: FreshWorld): readonly string[] {
  const controller = createNodePoolController(world.readers);
  const written: string[] = [];
  for (const key of ['a', 'b', 'c', 'gone', leaversKey]) {
    if (controller.observe({ name: key }) === undefined) continue;
    const { outcome } = world.reconcile(controller, key);
    for (const { step } of outcome.results) {
      if (step.do === 'patch' && step.resource === nodes) written.push(`${step.target} ${step.why.word}`);
    }
  }
  for (const key of ['a', 'b']) world.untilSteady(controller, key);
  return written;
}

function relabel(world: FreshWorld, changed: Readonly<Record<string, string | undefined>>): void {
  world.edit(nodes, { name: 'n1' }, (found) => ({
    ...found,
    metadata: { ...found.metadata, labels: present({ ...found.metadata.labels, ...changed }) },
  }));
}

function labelsOf(world: FreshWorld): Readonly<Record<string, string>> {
  return world.get(nodes, { name: 'n1' }).metadata.labels ?? {};
}

function statusOf(world: FreshWorld, name: string): NodePool['status'] {
  return world.get(nodePools, { name }).status;
}
