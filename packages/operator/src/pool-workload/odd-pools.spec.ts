import { labels, nodePools, type NodePool } from '@atoll/api';
import { deployments } from '@atoll/kube';
import { expect, it } from 'vitest';
import { hz, rollOut, web, workedExample } from '../../simulation/examples/worked-example.ts';
import { createNodePoolController } from '../node-pool/controller.ts';

it('a pool called like what every object has gets its child', () => {
  const pool: NodePool = { metadata: { name: 'constructor', labels: { tier: 'a' } } };
  const { world, controller } = workedExample(web, [hz, pool]);
  world.untilSteady(controller, 'ns/web');
  const served = world.list(deployments).map(({ metadata }) => metadata.labels?.[labels.poolName]);
  expect(new Set(served)).toEqual(new Set(['constructor', 'hz']));
});

it('a pool that is replaced without the labels of its type keeps the child of a workload that selects by them', () => {
  const pool: NodePool = { metadata: { name: 'hz' }, spec: { type: 'Edge' } };
  const nodepoolSelector = { matchLabels: { [labels.poolType]: 'edge' } };
  const { world, controller } = workedExample({ ...web, spec: { ...web.spec, nodepoolSelector } }, [pool]);
  const pools = createNodePoolController(world.readers);
  world.untilSteady(pools, 'hz');
  world.untilSteady(controller, 'ns/web');
  rollOut(world);
  world.untilSteady(controller, 'ns/web');
  const [before] = world.list(deployments);
  expect(before).toBeDefined();
  world.edit(nodePools, { name: 'hz' }, (found) => ({
    ...found,
    metadata: { ...found.metadata, labels: {} },
  }));
  world.untilSteady(controller, 'ns/web');
  world.untilSteady(pools, 'hz');
  world.untilSteady(controller, 'ns/web');
  expect(world.list(deployments).map(({ metadata }) => metadata.uid)).toEqual([before?.metadata.uid]);
});
