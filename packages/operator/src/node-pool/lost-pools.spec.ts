import { annotations, labels, nodePools } from '@atoll/api';
import { definitionName, nodes, type KubeObject, type Stored } from '@atoll/kube';
import { describe, expect, it, test } from 'vitest';
import { FreshWorld } from '../../simulation/examples/fresh-world.ts';
import { definitionOf, definitions } from '../../simulation/model/definitions.ts';
import type { InstalledDefinition } from '../children/lost-with-definition.ts';
import { createNodePoolController } from './controller.ts';
import { whyPoolMaybeLost } from './lost-pools.ts';

const key = { name: definitionName(nodePools) };
const made = '2026-11-01T10:00:00Z';
const before = '2026-11-01T09:59:59Z';

function definition(more: object = {}): InstalledDefinition {
  const metadata = { ...key, uid: 'd', resourceVersion: '1', creationTimestamp: made, ...more };
  return { metadata, spec: {} } as unknown as InstalledDefinition;
}

function written(creationTimestamp: string, manager?: string, time?: string): KubeObject {
  const managedFields = manager === undefined ? [] : [{ manager, time: time ?? '' }];
  return { metadata: { name: 'x', creationTimestamp, managedFields } } as unknown as Stored<KubeObject>;
}

describe('the pool of an object, which is absent,', () => {
  it.each([
    [
      'was deleted by somebody where the object is younger than the definition',
      written(made),
      definition(),
      false,
    ],
    ['may be lost where the object is older', written(before), definition(), true],
    ['was there where it was written since', written(before, 'atoll', made), definition(), false],
    [
      'was there where an old operator wrote it since',
      written(before, 'yurt-manager', made),
      definition(),
      false,
    ],
    ['may be lost where somebody else wrote it since', written(before, 'kubectl', made), definition(), true],
    ['may be lost where it was written before', written(before, 'atoll', before), definition(), true],
    ['may be lost while there is no definition', written(made), undefined, true],
    [
      'may be lost while the definition is being deleted',
      written(made),
      definition({ deletionTimestamp: made }),
      true,
    ],
  ])('%s', (_, object, found, isLost) => {
    expect(whyPoolMaybeLost(object, found) !== undefined).toBe(isLost);
  });
});

describe('what a pool gave to a node', () => {
  const zone = (world: FreshWorld) => world.get(nodes, { name: 'n1' }).metadata.labels?.['zone'];

  function member() {
    const world = new FreshWorld();
    const controller = createNodePoolController(world.readers);
    world.put(nodePools, { metadata: { name: 'hz' }, spec: { labels: { zone: 'a' } } });
    world.put(nodes, { metadata: { name: 'n1', labels: { [labels.nodePool]: 'hz' } } });
    world.untilSteady(controller, 'hz');
    expect(zone(world)).toBe('a');
    return { world, controller };
  }

  function heldOf({ world, controller }: ReturnType<typeof member>) {
    return world.reconcile(controller, 'hz').plan.holds.map(({ reason, problem }) => `${reason}: ${problem}`);
  }

  test('stays while the pool may have gone with the definition of all pools, and goes where the node is let go', () => {
    const { world, controller } = member();
    world.remove(definitions, key);
    world.remove(nodePools, { name: 'hz' });
    const held = (why: string) => [
      `PoolNotFound: the NodePool hz, which the label ${labels.nodePool} names, does not exist: it may have gone with the definition of NodePools, which ${why}. What it gave to its nodes stays. Create it, or correct the label of the node`,
    ];
    expect(heldOf({ world, controller })).toEqual(held('is being deleted'));
    world.end(definitions, key);
    expect(heldOf({ world, controller })).toEqual(held('was deleted'));
    world.now += 60_000;
    world.put(definitions, definitionOf(nodePools));
    expect(heldOf({ world, controller })).toEqual(
      held('was deleted and was installed again at 2026-11-01T10:01:00Z'),
    );
    expect(zone(world)).toBe('a');

    world.edit(nodes, { name: 'n1' }, (node) => {
      const { [labels.nodePool]: _, ...others } = node.metadata.labels ?? {};
      return { ...node, metadata: { ...node.metadata, labels: others } };
    });
    world.reconcile(controller, '(left)');
    expect(zone(world)).toBeUndefined();
    expect(
      world.get(nodes, { name: 'n1' }).metadata.annotations?.[annotations.previousAttributes],
    ).toBeUndefined();
  });

  test('is what the pool gives when it is restored', () => {
    const { world, controller } = member();
    world.end(definitions, key);
    world.remove(nodePools, { name: 'hz' });
    world.untilSteady(controller, 'hz');
    world.now += 60_000;
    world.put(definitions, definitionOf(nodePools));
    world.put(nodePools, { metadata: { name: 'hz' }, spec: { labels: { zone: 'b' } } });
    world.untilSteady(controller, 'hz');
    expect(zone(world)).toBe('b');
  });

  test('is taken off only while the pool is absent and the definition is as it was seen, read after the pool', () => {
    const { world, controller } = member();
    world.remove(nodePools, { name: 'hz' });
    const { plan } = world.reconcile(controller, 'hz');
    expect(plan.stages.flatMap(({ steps }) => steps)).toMatchObject([
      {
        restsOn: [
          { resource: nodePools, key: { name: 'hz' }, uid: undefined },
          {
            resource: definitions,
            key,
            uid: 'uid-nodepools.apps.openyurt.io',
            resourceVersion: expect.any(String),
          },
        ],
      },
    ]);
    expect(zone(world)).toBeUndefined();
  });

  test('stays where an old operator writes the node for another reason', () => {
    const { world, controller } = member();
    world.end(definitions, key);
    world.end(nodePools, { name: 'hz' });
    world.now += 60_000;
    world.put(definitions, definitionOf(nodePools));
    world.edit(nodes, { name: 'n1' }, (node) => ({
      ...node,
      metadata: {
        ...node.metadata,
        managedFields: [
          { manager: 'atoll', operation: 'Update', time: '2026-11-01T10:00:00Z' },
          { manager: 'yurt-manager', operation: 'Update', time: '2026-11-01T10:02:00Z' },
        ],
      },
    }));
    world.untilSteady(controller, 'hz');
    expect(zone(world)).toBe('a');
  });

  test('is not said to stay where a node names a pool that never was, also one older than the definition', () => {
    const world = new FreshWorld();
    const controller = createNodePoolController(world.readers);
    world.end(definitions, key);
    world.put(nodes, { metadata: { name: 'n1', labels: { [labels.nodePool]: 'typo' } } });
    world.now += 60_000;
    world.put(definitions, definitionOf(nodePools));
    expect(world.reconcile(controller, 'typo').plan.holds.map(({ problem }) => problem)).toEqual([
      `the NodePool typo, which the label ${labels.nodePool} names, does not exist. Create it, or correct the label of the node`,
    ]);
  });
});
