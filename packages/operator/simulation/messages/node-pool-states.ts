import { annotations, labels, nodePools, type NodePool } from '@atoll/api';
import { definitionName, nodes, type KubeObject, type Resource, type Taint } from '@atoll/kube';
import { refusalOf } from '@atoll/kube/testing';
import { changedBackError } from '../../src/engine/executor/answers/changed-back.ts';
import { createNodePoolController } from '../../src/node-pool/controller.ts';
import { leaversKey } from '../../src/node-pool/nodes/node-key.ts';
import { FreshWorld } from '../examples/fresh-world.ts';
import { definitions } from '../model/definitions.ts';
import { describeState } from './describe-state.ts';

const gate: Taint = { key: 'gate', value: 'x', effect: 'NoExecute' };
const typed = { [labels.poolType]: 'edge', [labels.oldPoolType]: 'edge' };
const hz: NodePool = { metadata: { name: 'hz', labels: typed }, spec: { labels: { zone: 'a' } } };

/** What a NodePool and its nodes show in every state that has words of its own. */
export function nodePoolStates(): readonly string[] {
  return [
    state('a node joins', (world) => node(world, { [labels.nodePool]: 'hz' })),
    state('the caches have not synced', (world) => {
      node(world, { [labels.nodePool]: 'hz' });
      world.unsynced.add('nodes');
    }),
    state('a node is refused', (world) => {
      node(world, { [labels.nodePool]: 'hz' });
      refuse(world, nodes);
    }),
    state('another writer changes a node back each time', (world) => {
      node(world, { [labels.nodePool]: 'hz' });
      refuse(world, nodes, changedBackError('patch nodes n1'));
    }),
    state('the pool gives more annotations than a node can have', (world) => {
      world.edit(nodePools, { name: 'hz' }, (found) => ({
        ...found,
        spec: { annotations: { 'example.com/site': 'x'.repeat(140_000), 'example.com/owner': 'edge' } },
      }));
      node(world, { [labels.nodePool]: 'hz' });
    }),
    state('a node has too many annotations of its own for those of its pool', (world) => {
      const annotations = { 'example.com/inventory': 'x'.repeat(262_100) };
      node(world, { [labels.nodePool]: 'hz' }, { annotations });
    }),
    state('a node has too many annotations, and another is refused', (world) => {
      const annotations = { 'example.com/inventory': 'x'.repeat(262_100) };
      node(world, { [labels.nodePool]: 'hz' }, { annotations });
      world.put(nodes, { metadata: { name: 'n2', labels: { [labels.nodePool]: 'hz' } } });
      refuse(world, nodes);
    }),
    state('the pool has no label for its type', (world) => {
      world.edit(nodePools, { name: 'hz' }, (found) => ({
        ...found,
        metadata: { ...found.metadata, labels: {} },
      }));
    }),
    state('the pool cannot be labelled', (world) => {
      world.edit(nodePools, { name: 'hz' }, (found) => ({
        ...found,
        metadata: { ...found.metadata, labels: {} },
      }));
      refuse(world, nodePools);
    }),
    state('a node asks to join by the older label', (world) =>
      node(world, { [labels.desiredNodePool]: 'hz' }),
    ),
    state('the two labels of a node contradict each other', (world) => {
      world.put(nodePools, { metadata: { name: 'bj', labels: typed } });
      node(world, { [labels.nodePool]: 'hz', [labels.desiredNodePool]: 'bj' });
    }),
    state(
      'a node names a pool that does not exist',
      (world) => node(world, { [labels.nodePool]: 'typo' }),
      'typo',
    ),
    state(
      'a node names a pool that may have gone with the definition of NodePools',
      (world) => {
        world.end(definitions, { name: definitionName(nodePools) });
        const noted = { [annotations.previousAttributes]: '{"labels":{"zone":"b"}}' };
        world.put(nodes, {
          metadata: { name: 'n1', labels: { [labels.nodePool]: 'bj', zone: 'b' }, annotations: noted },
        });
      },
      'bj',
    ),
    state(
      'a node asks for a pool that is being deleted',
      (world) => {
        const going = { deletionTimestamp: '2026-11-01T10:00:00Z', finalizers: ['example.com/hold'] };
        world.put(nodePools, { metadata: { name: 'bj', labels: typed, ...going } });
        node(world, { [labels.desiredNodePool]: 'bj' });
      },
      'bj',
    ),
    state(
      'a node leaves',
      (world) => {
        const record = { [annotations.previousAttributes]: '{"labels":{"zone":"a"}}' };
        node(world, { zone: 'a' }, { annotations: record });
      },
      leaversKey,
    ),
    state('an older operator left a node without a NoExecute taint of its pool', (world) => {
      world.edit(nodePools, { name: 'hz' }, (found) => ({ ...found, spec: { taints: [gate] } }));
      const record = { [annotations.previousAttributes]: JSON.stringify({ taints: [gate] }) };
      node(world, { [labels.nodePool]: 'hz' }, { annotations: record });
    }),
    state('an older operator left a node with another label than its pool gives', (world) => {
      world.edit(nodePools, { name: 'hz' }, (found) => ({ ...found, status: { readyNodeNum: 1 } }));
      const record = { [annotations.previousAttributes]: '{"labels":{"zone":"a"}}' };
      node(world, { [labels.nodePool]: 'hz', zone: 'b' }, { annotations: record });
    }),
    state('a node has its own value of a label that its pool gives', (world) => {
      const zone = 'topology.kubernetes.io/zone';
      world.edit(nodePools, { name: 'hz' }, (found) => ({ ...found, spec: { labels: { [zone]: 'a' } } }));
      node(world, { [labels.nodePool]: 'hz', [zone]: 'b' });
    }),
    state('the pool has a label that no pool can give', (world) => {
      const spec = { labels: { [labels.nodePool]: 'bj' } };
      world.edit(nodePools, { name: 'hz' }, (found) => ({ ...found, spec }));
      node(world, { [labels.nodePool]: 'hz' });
    }),
    state(
      'an older operator left the labels of a pool on a node that left it',
      (world) => {
        world.edit(nodePools, { name: 'hz' }, (found) => ({ ...found, status: { readyNodeNum: 0 } }));
        const record = { [annotations.previousAttributes]: '{"labels":{"zone":"a"}}' };
        node(world, { zone: 'a' }, { annotations: record });
      },
      leaversKey,
    ),
  ];
}

function state(title: string, act: (world: FreshWorld) => void, key = 'hz'): string {
  const world = new FreshWorld();
  world.put(nodePools, hz);
  const controller = createNodePoolController(world.readers);
  act(world);
  const object = [nodePools as Resource<KubeObject>, { name: key }] as const;
  return describeState({ title, world, controller, key, ...(key === 'hz' ? { object } : {}) });
}

function node(world: FreshWorld, own: Readonly<Record<string, string>>, more: object = {}): void {
  const status = { conditions: [{ type: 'Ready', status: 'True' as const }] };
  world.put(nodes, { metadata: { name: 'n1', labels: own, ...more }, spec: { taints: [] }, status });
}

const denied = refusalOf(403, 'patch', 'denied by policy');

function refuse(world: FreshWorld, resource: object, answer = denied): void {
  world.refuse = (operation) =>
    (operation.resource as object) === resource && operation.verb === 'patch' && !('subresource' in operation)
      ? answer
      : undefined;
}
