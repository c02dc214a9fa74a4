import { labels, nodePools, yurtAppDaemons } from '@atoll/api';
import { definitionName, deployments } from '@atoll/kube';
import { describe, expect, test } from 'vitest';
import type { FreshWorld } from '../../../simulation/examples/fresh-world.ts';
import { definitionOf, definitions } from '../../../simulation/model/definitions.ts';
import { bj, hz, webKey, workedExample } from '../../../simulation/examples/worked-example.ts';

/** The deletion that is planned when the pool hz is changed like this. */
function deletionAfter(change: 'leaves' | 'is gone') {
  const { world, controller } = workedExample();
  world.untilSteady(controller, 'ns/web');
  if (change === 'is gone') world.remove(nodePools, { name: 'hz' });
  else
    world.edit(nodePools, { name: 'hz' }, (pool) => ({
      ...pool,
      metadata: { ...pool.metadata, labels: {} },
    }));
  const [reconciled] = world.untilSteady(controller, 'ns/web');
  const children = world.list(deployments).map(({ metadata }) => metadata.labels?.[labels.poolName]);
  expect(children).toEqual(['bj']);
  return reconciled?.plan.stages.flatMap(({ steps }) => steps).filter((step) => step.do === 'delete');
}

test('the child of a pool that leaves is deleted only while the pool is as it was seen', () => {
  const seen = { resource: nodePools, key: { name: 'hz' } };
  expect(deletionAfter('leaves')).toMatchObject([
    {
      target: 'hz',
      restsOn: [{ ...seen, uid: expect.any(String), labels: {} }],
      why: { word: 'PoolUnselected', message: 'pool hz is not selected any more' },
    },
  ]);
  expect(deletionAfter('is gone')).toMatchObject([
    {
      target: 'hz',
      // Read after the pool: it did not go with its definition.
      restsOn: [
        { ...seen, uid: undefined },
        { resource: definitions, uid: 'uid-nodepools.apps.openyurt.io', resourceVersion: expect.any(String) },
      ],
      why: { word: 'PoolUnselected', message: 'pool hz does not exist any more' },
    },
  ]);
});

test('a pool that goes while its child goes is no place any more', () => {
  const { world, controller } = workedExample(undefined, [
    { ...hz, metadata: { ...hz.metadata, finalizers: ['example/held'] } },
    bj,
  ]);
  world.untilSteady(controller, 'ns/web');
  const child = world.list(deployments).find(({ metadata }) => metadata.labels?.[labels.poolName] === 'hz');
  const key = { namespace: 'ns', name: child?.metadata.name ?? '' };
  world.edit(deployments, key, (found) => ({
    ...found,
    metadata: { ...found.metadata, finalizers: ['example/held'] },
  }));
  world.remove(nodePools, { name: 'hz' });
  world.remove(deployments, key);
  expect(controller.observe(webKey)?.desired).toMatchObject({ places: [{ name: 'bj' }] });
});

describe('the child of a pool that may have gone with the definition of all pools', () => {
  function lost() {
    const { world, controller } = workedExample();
    world.untilSteady(controller, 'ns/web');
    return { world, controller };
  }

  const childrenIn = (world: FreshWorld) =>
    world.list(deployments).map(({ metadata }) => metadata.labels?.[labels.poolName]);
  const readyOf = (world: FreshWorld) =>
    world.get(yurtAppDaemons, webKey).status?.conditions?.find(({ type }) => type === 'Ready');
  const key = { name: definitionName(nodePools) };

  test('stays, and is held, while the definition is being deleted, is gone, and is new', () => {
    const { world, controller } = lost();
    const child = world.list(deployments).find(({ metadata }) => metadata.labels?.[labels.poolName] === 'hz');
    const held = (why: string) =>
      `the NodePool hz does not exist: it may have gone with the definition of NodePools, which ${why}. Restore the NodePool, or delete the Deployment ${child?.metadata.name}`;

    world.remove(definitions, key);
    world.remove(nodePools, { name: 'hz' });
    world.untilSteady(controller, 'ns/web');
    expect(readyOf(world)).toMatchObject({ status: 'False', reason: 'PoolNotFound' });
    expect(readyOf(world)?.message).toContain(held('is being deleted'));

    world.remove(nodePools, { name: 'bj' });
    world.end(definitions, key);
    world.untilSteady(controller, 'ns/web');
    expect(readyOf(world)?.message).toContain('which was deleted. Restore the NodePool');

    world.now += 3_600_000;
    world.put(definitions, definitionOf(nodePools));
    world.untilSteady(controller, 'ns/web');
    expect(readyOf(world)?.message).toContain(
      'which was deleted and was installed again at 2026-11-01T11:00:00Z',
    );
    expect(childrenIn(world)).toEqual(['bj', 'hz']);

    for (const pool of [hz, bj]) world.put(nodePools, pool);
    world.untilSteady(controller, 'ns/web');
    expect(readyOf(world)?.message).not.toContain('does not exist');
    expect(childrenIn(world)).toEqual(['bj', 'hz']);
  });

  test('goes where it was written for its pool since the definition is there', () => {
    const { world, controller } = lost();
    world.now += 3_600_000;
    world.end(definitions, key);
    world.put(definitions, definitionOf(nodePools));
    for (const { metadata } of world.list(deployments)) {
      world.edit(deployments, { namespace: 'ns', name: metadata.name }, (child) => ({
        ...child,
        metadata: {
          ...child.metadata,
          managedFields: [{ manager: 'atoll', operation: 'Apply', time: '2026-11-01T11:00:00Z' }],
        },
      }));
    }
    world.remove(nodePools, { name: 'hz' });
    world.untilSteady(controller, 'ns/web');
    expect(childrenIn(world)).toEqual(['bj']);
  });

  test('goes where a person deletes it', () => {
    const { world, controller } = lost();
    world.end(definitions, key);
    world.remove(nodePools, { name: 'hz' });
    world.untilSteady(controller, 'ns/web');
    const child = world.list(deployments).find(({ metadata }) => metadata.labels?.[labels.poolName] === 'hz');
    world.remove(deployments, { namespace: 'ns', name: child?.metadata.name ?? '' });
    world.untilSteady(controller, 'ns/web');
    expect(childrenIn(world)).toEqual(['bj']);
    expect(readyOf(world)?.message).not.toContain('does not exist');
  });
});
