import { annotations, labels, nodePools, type NodePool } from '@atoll/api';
import { nodes, type ApiError } from '@atoll/kube';
import { refusalOf } from '@atoll/kube/testing';
import { describe, expect, test } from 'vitest';
import { FreshWorld } from '../../../simulation/examples/fresh-world.ts';
import { createNodePoolController } from '../controller.ts';
import { leaversKey } from './node-key.ts';

type Labels = Readonly<Record<string, string>>;

const counted = { readyNodeNum: 1, unreadyNodeNum: 0, nodes: ['n1'] };
const empty = { readyNodeNum: 0, unreadyNodeNum: 0, nodes: [] };
const seen = { ...counted, observedGeneration: 1 };
const member = '{"pool":"hz","labels":{"zone":"a"}}';
const left = '{"pool":"","labels":{"zone":"a"}}';

describe('labels of a member that differ from those of its pool, by which DaemonSets select', () => {
  test.each<readonly [string, Labels, Labels | undefined]>([
    ['that somebody changed, which no old operator puts back', { zone: 'b' }, { zone: 'a' }],
    ['that somebody took off', {}, { zone: 'a' }],
    [
      'that an old operator was not to write (--enable-sync-nodepool-configurations=false)',
      { zone: 'b' },
      undefined,
    ],
  ])('stay at a take-over, where it is one %s', (_title, own, record) => {
    const it = start({ labels: { [labels.nodePool]: 'hz', ...own }, record, status: counted });
    it.untilSteady();
    expect(it.labels()).toEqual({ [labels.nodePool]: 'hz', ...own });
    expect(it.note()).toBe(member);
    expect(it.shown()).toBe(
      "True PoolSynced: all 1 nodes carry the pool's labels, annotations and taints; labels of 1 of them stay as an old operator left them: zone on n1",
    );
    expect(it.world.get(nodePools, { name: 'hz' }).status?.observedGeneration).toBe(1);
    expect(it.reconcile('hz').holds).toMatchObject([
      { reason: 'LabelsKept', waitsFor: 'person', targets: ['n1'], bad: false },
    ]);
  });

  test.each<readonly [string, Labels, Labels | undefined, NodePool['status']]>([
    ['since Atoll looks after the pool', { zone: 'b' }, { zone: 'a' }, seen],
    ['because the pool changed while nobody looked', { zone: 'old' }, { zone: 'old' }, counted],
    ['because the node is about to join', {}, undefined, empty],
    ['in a new pool, before Atoll has written its status', { zone: 'b' }, { zone: 'a' }, undefined],
  ])('are set where they differ %s', (_title, own, record, status) => {
    const it = start({ labels: { [labels.nodePool]: 'hz', ...own }, record, status });
    it.untilSteady();
    expect(it.labels()).toMatchObject({ zone: 'a' });
    expect(it.note()).toBeUndefined();
  });

  test('are set when the note goes', () => {
    const it = start({
      labels: { [labels.nodePool]: 'hz', zone: 'b' },
      record: { zone: 'a' },
      status: counted,
    });
    it.untilSteady();
    it.takeOffNote();
    it.untilSteady();
    expect(it.labels()).toMatchObject({ zone: 'a' });
  });

  test('are set when the pool gives another value, and the note goes', () => {
    const it = start({
      labels: { [labels.nodePool]: 'hz', zone: 'b' },
      record: { zone: 'a' },
      status: counted,
    });
    it.untilSteady();
    it.world.edit(nodePools, { name: 'hz' }, (pool) => ({ ...pool, spec: { labels: { zone: 'c' } } }));
    it.untilSteady();
    expect(it.labels()).toMatchObject({ zone: 'c' });
    expect(it.note()).toBeUndefined();
  });

  test('are put back like any other once somebody set them right', () => {
    const it = start({
      labels: { [labels.nodePool]: 'hz', zone: 'b' },
      record: { zone: 'a' },
      status: counted,
    });
    it.untilSteady();
    it.setLabels({ [labels.nodePool]: 'hz', zone: 'a' });
    it.untilSteady();
    expect(it.note()).toBeUndefined();
    it.setLabels({ [labels.nodePool]: 'hz', zone: 'b' });
    it.untilSteady();
    expect(it.labels()).toMatchObject({ zone: 'a' });
  });

  test('stay, and the pool lists the node, as long as the node refuses the note', () => {
    const it = start({
      labels: { [labels.nodePool]: 'hz', zone: 'b' },
      record: { zone: 'a' },
      status: counted,
    });
    it.world.refuse = refusesNodes;
    for (const _time of [1, 2]) it.reconcile('hz');
    const { uid } = it.world.get(nodes, { name: 'n1' }).metadata;
    expect(it.world.get(nodePools, { name: 'hz' }).status).toMatchObject({
      observedGeneration: 1,
      unnotedNodes: [{ nodeName: 'n1', uid, labels: { zone: 'a' } }],
    });
    it.world.refuse = () => undefined;
    it.untilSteady();
    expect(it.labels()).toMatchObject({ zone: 'b' });
    expect(it.note()).toBe(member);
    expect(it.world.get(nodePools, { name: 'hz' }).status).not.toHaveProperty('unnotedNodes');
  });

  test('stay when the node leaves: the pool did not put them there', () => {
    const it = start({
      labels: { [labels.nodePool]: 'hz', zone: 'b' },
      record: { zone: 'a' },
      status: counted,
    });
    it.untilSteady();
    it.setLabels({ zone: 'b' });
    it.untilSteady();
    expect(it.labels()).toEqual({ zone: 'b' });
    expect(it.note()).toBeUndefined();
  });

  test('come back when the pool drops the label, where the old operator had recorded nothing', () => {
    const it = start({ labels: { [labels.nodePool]: 'hz', zone: 'b' }, record: undefined, status: counted });
    it.untilSteady();
    it.takeOffNote();
    it.untilSteady();
    expect(it.labels()).toMatchObject({ zone: 'a' });
    it.world.edit(nodePools, { name: 'hz' }, (pool) => ({ ...pool, spec: {} }));
    it.untilSteady();
    expect(it.labels()).toMatchObject({ zone: 'b' });
  });
});

describe('labels of a pool on a node that left it', () => {
  test('stay where OpenYurt 1.7 left them', () => {
    const it = start({ labels: { zone: 'a' }, record: { zone: 'a' }, status: empty });
    it.untilSteady();
    expect(it.labels()).toEqual({ zone: 'a' });
    expect(it.note()).toBe(left);
    expect(it.reconcile(leaversKey).holds).toMatchObject([
      { reason: 'LabelsKept', waitsFor: 'person', targets: ['n1'], bad: false, regarding: [{ name: 'n1' }] },
    ]);
  });

  test('stay where the pools are reconciled first, which list the node until it is noted', () => {
    const it = start({ labels: { zone: 'a' }, record: { zone: 'a' }, status: empty });
    const { requeueAt } = it.reconcile('hz');
    expect(requeueAt).toBe(it.world.now + 5_000);
    const { uid } = it.world.get(nodes, { name: 'n1' }).metadata;
    expect(it.world.get(nodePools, { name: 'hz' }).status).toMatchObject({
      observedGeneration: 1,
      unnotedNodes: [{ nodeName: 'n1', uid, left: true }],
    });
    it.untilSteady();
    expect(it.labels()).toEqual({ zone: 'a' });
    expect(it.world.get(nodePools, { name: 'hz' }).status).not.toHaveProperty('unnotedNodes');
    expect(it.reconcile('hz').requeueAt).toBeUndefined();
  });

  test('stay where the node names a pool that does not exist', () => {
    const it = start({
      labels: { [labels.nodePool]: 'gone', zone: 'a' },
      record: { zone: 'a' },
      status: empty,
    });
    it.untilSteady();
    expect(it.labels()).toMatchObject({ zone: 'a' });
    expect(it.note()).toBe(left);
  });

  test('go when the note goes', () => {
    const it = start({ labels: { zone: 'a' }, record: { zone: 'a' }, status: empty });
    it.untilSteady();
    it.takeOffNote();
    it.untilSteady();
    expect(it.labels()).toEqual({});
    expect(it.world.get(nodes, { name: 'n1' }).metadata.annotations).toEqual({});
  });

  test('go when the node joins a pool that does not give them', () => {
    const it = start({ labels: { zone: 'a' }, record: { zone: 'a' }, status: empty });
    it.world.put(nodePools, { metadata: { name: 'bj' }, spec: { labels: { site: 'x' } } });
    it.untilSteady();
    it.setLabels({ [labels.nodePool]: 'bj', zone: 'a' });
    it.untilSteady();
    expect(it.labels()).toEqual({ [labels.nodePool]: 'bj', site: 'x' });
    expect(it.note()).toBeUndefined();
  });

  test.each<readonly [string, NodePool['status']]>([
    ['Atoll has seen a pool', seen],
    ['no old operator was there', undefined],
  ])('go where %s', (_title, status) => {
    const it = start({ labels: { zone: 'a' }, record: { zone: 'a' }, status });
    it.untilSteady();
    expect(it.labels()).toEqual({});
  });
});

interface Found {
  readonly labels: Labels;
  /** The pool's labels as an old operator recorded them; undefined: it recorded nothing at all. */
  readonly record: Labels | undefined;
  readonly status: NodePool['status'];
}

function start({ labels: own, record, status }: Found) {
  const world = new FreshWorld();
  const controller = createNodePoolController(world.readers);
  const pool = { metadata: { name: 'hz' }, spec: { labels: { zone: 'a' } } };
  world.put(nodePools, status === undefined ? pool : { ...pool, status });
  const previous =
    record === undefined ? {} : { [annotations.previousAttributes]: JSON.stringify({ labels: record }) };
  const conditions = [{ type: 'Ready', status: 'True' as const }];
  world.put(nodes, {
    metadata: { name: 'n1', labels: own, annotations: previous },
    spec: { taints: [] },
    status: { conditions },
  });
  const reconcile = (name: string) => world.reconcile(controller, name).plan;
  return {
    world,
    reconcile,
    /** All keys in the order that is worst for nodes without a pool. */
    untilSteady: () => {
      for (let round = 0; round < 4; round += 1) {
        for (const name of ['hz', 'bj', 'gone', leaversKey]) {
          if (controller.observe({ name }) !== undefined) reconcile(name);
        }
      }
    },
    labels: () => world.get(nodes, { name: 'n1' }).metadata.labels,
    note: () => world.get(nodes, { name: 'n1' }).metadata.annotations?.[annotations.keptLabels],
    shown: () => {
      const { conditions: found = [] } = world.get(nodePools, { name: 'hz' }).status ?? {};
      const ready = found.find(({ type }) => type === 'Ready');
      return ready === undefined ? undefined : `${ready.status} ${ready.reason}: ${ready.message}`;
    },
    setLabels: (next: Labels) =>
      world.edit(nodes, { name: 'n1' }, ({ metadata, ...rest }) => ({
        ...rest,
        metadata: { ...metadata, labels: next },
      })),
    takeOffNote: () =>
      world.edit(nodes, { name: 'n1' }, ({ metadata, ...rest }) => {
        const { [annotations.keptLabels]: _gone, ...others } = metadata.annotations ?? {};
        return { ...rest, metadata: { ...metadata, annotations: others } };
      }),
  };
}

const denied = refusalOf(403, 'patch', 'no');

function refusesNodes(request: { readonly verb: string; readonly resource: object }): ApiError | undefined {
  return request.verb === 'patch' && request.resource === nodes ? denied : undefined;
}
