import { labels, nodePools } from '@atoll/api';
import { deployments } from '@atoll/kube';
import { expect, test } from 'vitest';
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
      restsOn: [{ ...seen, uid: undefined }],
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
