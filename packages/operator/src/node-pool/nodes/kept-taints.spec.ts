import { describe, expect, test } from 'vitest';
import { annotations, labels, nodePools, type NodePool } from '@atoll/api';
import { nodes, type Node, type Taint } from '@atoll/kube';
import { refusalOf } from '@atoll/kube/testing';
import { FreshWorld } from '../../../simulation/examples/fresh-world.ts';
import { createNodePoolController } from '../controller.ts';
import { leaversKey } from './node-key.ts';

const gate = { key: 'gate', value: 'x', effect: 'NoExecute' } as const;
const old = { ...gate, value: 'old' } as const;
const edge = { key: 'edge', effect: 'NoSchedule' } as const;
const note = '{"pool":"a","taints":[{"key":"gate","value":"x","effect":"NoExecute"}]}';
const served = { readyNodeNum: 1, unreadyNodeNum: 0, nodes: ['n1'] };

interface Found {
  readonly live: readonly Taint[];
  /** The pool's taints as an old operator recorded them; undefined: it recorded nothing at all. */
  readonly record?: readonly Taint[];
  readonly status?: NodePool['status'];
}

describe('where an old operator left a node without a NoExecute taint of its pool', () => {
  test.each<readonly [string, Found]>([
    ['that was taken off', { live: [], record: [gate, edge] }],
    ['that has another value', { live: [old, edge], record: [gate, edge] }],
    ['that it is not to touch', { live: [], status: served }],
  ])('for one %s: that one stays so, all others are put right, and it is reported', (_title, found) => {
    const { world, untilSteady, taints, shown } = start(found);
    untilSteady();
    expect(taints()).toEqual(found.live.includes(old) ? [old, edge] : [edge]);
    expect(noteOf(world)).toBe(note);
    expect(shown()).toBe(
      "True PoolSynced: all 1 nodes carry the pool's labels, annotations and taints; NoExecute taints of 1 of them stay as an old operator left them: gate on n1",
    );
    const { holds, stages } = world.reconcile(createNodePoolController(world.readers), 'a').plan;
    expect(holds).toMatchObject([{ reason: 'TaintsKept', waitsFor: 'person', targets: ['n1'], bad: false }]);
    expect(stages).toEqual([]);
  });

  test('it comes when the note goes', () => {
    const { world, untilSteady, taints } = start({ live: [], record: [gate] });
    untilSteady();
    world.edit(nodes, { name: 'n1' }, ({ metadata, ...rest }) => {
      const { [annotations.keptTaints]: _gone, ...others } = metadata.annotations ?? {};
      return { ...rest, metadata: { ...metadata, annotations: others } };
    });
    untilSteady();
    expect(taints()).toEqual([edge, gate]);
    expect(noteOf(world)).toBeUndefined();
  });

  test('it comes when the pool wants another value, and the note goes', () => {
    const { world, untilSteady, taints } = start({ live: [old], record: [gate] });
    untilSteady();
    const next = { ...gate, value: 'next' };
    world.edit(nodePools, { name: 'a' }, (pool) => ({
      ...pool,
      spec: { ...pool.spec, taints: [next, edge] },
    }));
    untilSteady();
    expect(taints()).toEqual([next, edge]);
    expect(noteOf(world)).toBeUndefined();
  });

  test('the note goes when somebody puts the taint there, and then it is put back as any other', () => {
    const { world, untilSteady, taints } = start({ live: [], record: [gate] });
    untilSteady();
    setTaints(world, [gate, edge]);
    untilSteady();
    expect(noteOf(world)).toBeUndefined();
    setTaints(world, [edge]);
    untilSteady();
    expect(taints()).toEqual([edge, gate]);
  });

  test('the note goes with the node: what joins again is a node as any other', () => {
    const { world, untilSteady, taints } = start({ live: [], status: served });
    untilSteady();
    setPool(world, undefined);
    untilSteady();
    expect(noteOf(world)).toBeUndefined();
    expect(taints()).toEqual([]);
    setPool(world, 'a');
    untilSteady();
    expect(taints()).toEqual([gate, edge]);
  });

  test('the pool lists the node until that is noted, however often the write fails', () => {
    const { world, untilSteady, taints } = start({ live: [], record: [gate] });
    world.refuse = (request) =>
      request.verb === 'patch' && request.resource === nodes ? refusalOf(403, 'patch', 'no') : undefined;
    for (const _time of [1, 2]) world.reconcile(createNodePoolController(world.readers), 'a');
    expect(world.get(nodePools, { name: 'a' }).status).toMatchObject({
      observedGeneration: 1,
      unnotedNodes: [{ nodeName: 'n1', taints: [gate] }],
    });
    world.refuse = () => undefined;
    untilSteady();
    expect(taints()).toEqual([edge]);
    expect(noteOf(world)).toBe(note);
    expect(world.get(nodePools, { name: 'a' }).status).not.toHaveProperty('unnotedNodes');
  });
});

describe('a NoExecute taint comes at once', () => {
  test.each<readonly [string, Found]>([
    ['to a node that joins a new pool', { live: [] }],
    ['where the pool changed while nobody looked', { live: [old], record: [old], status: served }],
    [
      'where it was taken off since Atoll looks',
      { live: [], record: [gate], status: { ...served, observedGeneration: 1 } },
    ],
  ])('%s', (_title, found) => {
    const { world, untilSteady, taints } = start(found);
    untilSteady();
    expect(taints()).toEqual([gate, edge]);
    expect(noteOf(world)).toBeUndefined();
  });

  test('to a node that moves here from a pool where it was kept off', () => {
    const { world, untilSteady, taints } = start({ live: [], record: [gate] });
    untilSteady();
    world.put(nodePools, { metadata: { name: 'b' }, spec: { taints: [gate] } });
    setPool(world, 'b');
    world.untilSteady(createNodePoolController(world.readers), 'b');
    expect(taints()).toEqual([gate]);
    expect(noteOf(world)).toBeUndefined();
  });
});

function start({ live, record, status }: Found) {
  const world = new FreshWorld();
  const controller = createNodePoolController(world.readers);
  const pool = { metadata: { name: 'a' }, spec: { taints: [gate, edge] } };
  world.put(nodePools, status === undefined ? pool : { ...pool, status });
  const previous =
    record === undefined ? {} : { [annotations.previousAttributes]: JSON.stringify({ taints: record }) };
  const metadata = { name: 'n1', labels: { [labels.nodePool]: 'a' }, annotations: previous };
  const conditions = [{ type: 'Ready', status: 'True' as const }];
  world.put(nodes, { metadata, spec: { taints: live }, status: { conditions } });
  const shown = (): string | undefined => {
    const { conditions: found = [] } = world.get(nodePools, { name: 'a' }).status ?? {};
    const ready = found.find(({ type }) => type === 'Ready');
    return ready === undefined ? undefined : `${ready.status} ${ready.reason}: ${ready.message}`;
  };
  return {
    world,
    shown,
    untilSteady: () => {
      if (controller.observe({ name: leaversKey }) !== undefined) world.reconcile(controller, leaversKey);
      world.untilSteady(controller, 'a');
    },
    taints: () => world.get(nodes, { name: 'n1' }).spec?.taints ?? [],
  };
}

function noteOf(world: FreshWorld): string | undefined {
  return world.get(nodes, { name: 'n1' }).metadata.annotations?.[annotations.keptTaints];
}

function setTaints(world: FreshWorld, taints: readonly Taint[]): void {
  world.edit<Node>(nodes, { name: 'n1' }, (node) => ({ ...node, spec: { ...node.spec, taints } }));
}

function setPool(world: FreshWorld, pool: string | undefined): void {
  world.edit<Node>(nodes, { name: 'n1' }, ({ metadata, ...node }) => {
    const { [labels.nodePool]: _old, ...others } = metadata.labels ?? {};
    const next = pool === undefined ? others : { ...others, [labels.nodePool]: pool };
    return { ...node, metadata: { ...metadata, labels: next } };
  });
}
