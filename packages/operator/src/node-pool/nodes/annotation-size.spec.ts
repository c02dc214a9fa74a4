import { annotations, labels, nodePools } from '@atoll/api';
import { nodes, type ApiError } from '@atoll/kube';
import { refusalOf } from '@atoll/kube/testing';
import { expect, test } from 'vitest';
import { FreshWorld } from '../../../simulation/examples/fresh-world.ts';
import { maxAnnotationBytes } from './annotation-size.ts';
import { createNodePoolController } from '../controller.ts';
import { leaversKey } from './node-key.ts';

const typed = { [labels.poolType]: 'edge', [labels.oldPoolType]: 'edge' };
const record = annotations.previousAttributes;

/** A pool that gives one annotation of this length, with members that have one of their own of these lengths. */
function start(given: number, own: Readonly<Record<string, number>>) {
  const world = new FreshWorld();
  const controller = createNodePoolController(world.readers);
  world.put(nodePools, {
    metadata: { name: 'hz', labels: typed },
    spec: { annotations: { site: 'x'.repeat(given) } },
  });
  for (const [name, bytes] of Object.entries(own)) {
    const notes = bytes === 0 ? {} : { own: 'x'.repeat(bytes) };
    world.put(nodes, {
      metadata: { name, labels: { [labels.nodePool]: 'hz' }, annotations: notes },
      spec: {},
    });
  }
  const give = (length: number): void =>
    world.edit(nodePools, { name: 'hz' }, (found) => ({
      ...found,
      spec: { annotations: { site: 'x'.repeat(length) } },
    }));
  const ready = () =>
    world.get(nodePools, { name: 'hz' }).status?.conditions?.find(({ type }) => type === 'Ready');
  const carried = () =>
    Object.keys(own).filter(
      (name) => world.get(nodes, { name }).metadata.annotations?.['site'] !== undefined,
    );
  return { world, controller, give, ready, carried };
}

/** The name, the value, and both once more in the record. */
const taken = (length: number): number =>
  2 * length + 'site'.length + record.length + '{"annotations":{"site":""}}'.length;
const most = Math.floor((maxAnnotationBytes - taken(0)) / 2);

test('what fits is written to the last byte', () => {
  const { world, controller, ready, carried } = start(most, { n1: 0, n2: 0 });
  world.untilSteady(controller, 'hz');
  expect([ready()?.status, carried()]).toEqual(['True', ['n1', 'n2']]);
});

test('a pool that gives more than a node can have says so once, and no node is written until it gives less', () => {
  const { world, controller, give, ready, carried } = start(most + 1, { n1: 0, n2: 7 });
  const reconciled = world.untilSteady(controller, 'hz');
  expect(reconciled.flatMap(({ plan }) => plan.stages)).toEqual([]);
  const { plan } = world.reconcile(controller, 'hz');
  expect(plan.holds.map(({ reason, targets }) => [reason, targets])).toEqual([
    ['AnnotationsTooLong', ['n1', 'n2']],
  ]);
  expect(ready()).toMatchObject({ status: 'False', reason: 'AnnotationsTooLong' });
  expect(ready()?.message).toBe(
    `n1, n2: spec.annotations takes ${taken(most + 1)} bytes of each node's annotations, because it is noted there, too; ` +
      `the API server allows 262144. Shorten it: the largest is site, of ${most + 5} bytes`,
  );
  give(most - 7);
  world.untilSteady(controller, 'hz');
  expect([ready()?.status, carried()]).toEqual(['True', ['n1', 'n2']]);
});

test('a pool that gives more than a node can have is not held while it has no nodes', () => {
  const { world, controller, ready } = start(most + 1, {});
  world.untilSteady(controller, 'hz');
  expect(ready()).toMatchObject({ status: 'True', reason: 'PoolSynced' });
});

test('the largest annotation is one that a person can shorten', () => {
  const { world, controller, ready } = start(120_000, { n1: 25_000 });
  world.edit(nodes, { name: 'n1' }, (node) => ({
    ...node,
    metadata: { ...node.metadata, annotations: { small: 'x', ...node.metadata.annotations } },
  }));
  world.untilSteady(controller, 'hz');
  // The record of what the pool gives is larger than that.
  expect(ready()?.message).toMatch(/Remove some: the largest is site, of 120004 bytes$/);
});

test('a node that has too many of its own is named, and holds up no other', () => {
  const { world, controller, ready, carried } = start(1000, { n1: 261_000, n2: 0 });
  world.untilSteady(controller, 'hz');
  expect(carried()).toEqual(['n2']);
  expect(ready()?.message).toBe(
    `n1: the node would have ${261_003 + taken(1000)} bytes of annotations, ${taken(1000)} of them by its pool; ` +
      'the API server allows 262144. Remove some: the largest is own, of 261003 bytes',
  );
});

test('a node that is refused is named beside one that has too many', () => {
  const { world, controller, ready } = start(1000, { n1: 261_000, n2: 0, n3: 0 });
  const message = 'admission webhook "nodes.example" denied the request';
  world.refuse = (operation) =>
    operation.verb === 'patch' && ['n2', 'n3'].includes(operation.key.name) ? forbidden(message) : undefined;
  world.reconcile(controller, 'hz');
  expect(ready()).toMatchObject({ status: 'False', reason: 'AnnotationsTooLong' });
  expect(ready()?.message).toMatch(
    /^n1: the node would have .*; and cannot write the nodes n2, n3: .*denied/,
  );
});

test('a pool that cannot be labelled says so beside a node that has too many', () => {
  const { world, controller, ready } = start(10, { n1: 261_000 });
  world.edit(nodePools, { name: 'hz' }, (found) => ({
    ...found,
    metadata: { ...found.metadata, labels: {} },
    spec: { annotations: { site: 'x'.repeat(1000) } },
  }));
  world.refuse = (operation) =>
    operation.resource.kind === 'NodePool' &&
    operation.verb === 'patch' &&
    operation.subresource === undefined
      ? forbidden('no')
      : undefined;
  world.reconcile(controller, 'hz');
  expect(ready()?.reason).toBe('AnnotationsTooLong');
  expect(ready()?.message).toMatch(/^n1: .*; and cannot label the pool with its type: .*no/);
});

test('a node leaves a pool that gives too much, and is cleaned', () => {
  const { world, controller, give } = start(10, { n1: 0 });
  world.untilSteady(controller, 'hz');
  give(most + 1);
  world.untilSteady(controller, 'hz');
  expect(world.get(nodes, { name: 'n1' }).metadata.annotations?.['site']).toBe('x'.repeat(10));
  world.edit(nodes, { name: 'n1' }, (node) => ({ ...node, metadata: { ...node.metadata, labels: {} } }));
  world.reconcile(controller, leaversKey);
  expect(world.get(nodes, { name: 'n1' }).metadata.annotations).toEqual({});
});

function forbidden(message: string): ApiError {
  return refusalOf(403, 'patch', message);
}
