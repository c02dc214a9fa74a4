import { expect, test } from 'vitest';
import {
  nodePools,
  unitedDeployments,
  yurtAppDaemons,
  type PoolWorkload,
  type UnitedDeployment,
} from '@atoll/api';
import type { PolicyOf } from '../../engine/rollout/rollout-policy.ts';
import { decide as decidePools } from '../../pool-workload/decide.ts';
import { decide as decideSubsets } from '../../united-deployment/decide.ts';
import { Narrator } from '../../../simulation/narrate.ts';
import { releaseAnnotation, releasePolicy, releasing } from '../../../simulation/examples/release-policy.ts';
import * as spreads from '../../../simulation/examples/spread-example.ts';
import { editPods, rollOut, webKey, workedExample } from '../../../simulation/examples/worked-example.ts';

const key = 'ns/web';

test('pools are released one by one', async () => {
  const { world, controller: shipped } = workedExample();
  const policyOf = releasePolicy as PolicyOf<PoolWorkload>;
  const controller: typeof shipped = {
    ...shipped,
    decide: (snapshot, now) => decidePools(snapshot, now, policyOf),
  };
  world.untilSteady(controller, key);
  rollOut(world);
  world.untilSteady(controller, key);
  const story = new Narrator(world, controller);
  const release = (pool: string) => (): void =>
    world.edit(yurtAppDaemons, webKey, (found) => {
      const annotations = { [releaseAnnotation]: releasing(found, pool) };
      return { ...found, metadata: { ...found.metadata, annotations } };
    });
  const status = (): void =>
    story.status('The status says', world.get(yurtAppDaemons, webKey).status?.conditions);

  story.step(
    'The image becomes web:2. No pool is released.',
    () => {
      editPods(world, (spec) => ({ ...spec, containers: [{ name: 'web', image: 'web:2' }] }));
    },
    key,
  );
  status();
  story.step('The pool hz is released.', release('hz'), key);
  story.step('Its pods become available.', () => rollOut(world), key);
  story.step(
    'The pool sh joins.',
    () => {
      world.put(nodePools, { metadata: { name: 'sh', labels: { tier: 'a' } } });
    },
    key,
  );
  story.step('Its pods become available.', () => rollOut(world), key);
  status();
  story.step(
    'The template becomes one of StatefulSets.',
    () => {
      world.edit(yurtAppDaemons, webKey, (found) => {
        const statefulSetTemplate = found.spec.workloadTemplate?.deploymentTemplate;
        return { ...found, spec: { ...found.spec, workloadTemplate: { statefulSetTemplate } } };
      });
    },
    key,
  );
  story.step('The new pods of hz become available.', () => rollOut(world), key);
  story.step(
    'It is scaled to 3.',
    () => {
      world.edit(yurtAppDaemons, webKey, (found) => {
        const { statefulSetTemplate: template } = found.spec.workloadTemplate ?? {};
        const statefulSetTemplate = { ...template, spec: { ...template?.spec, replicas: 3 } };
        return { ...found, spec: { ...found.spec, workloadTemplate: { statefulSetTemplate } } };
      });
    },
    key,
  );
  rollOut(world);
  story.step('The pool sh is released.', release('sh'), key);
  story.step('Its pods become available.', () => rollOut(world), key);
  status();
  await expect(story.text()).toMatchFileSnapshot('./pools-released-one-by-one.txt');
});

test('subsets are released one by one', async () => {
  const zones = [spreads.zone('a'), spreads.zone('b')];
  const { world, controller: shipped } = spreads.spread(spreads.web(zones));
  const policyOf = releasePolicy as PolicyOf<UnitedDeployment>;
  const controller: typeof shipped = {
    ...shipped,
    decide: (snapshot, now) => decideSubsets(snapshot, now, policyOf),
  };
  world.untilSteady(controller, key);
  spreads.rollOut(world);
  world.untilSteady(controller, key);
  const story = new Narrator(world, controller);
  const release = (subset: string) => (): void =>
    world.edit(unitedDeployments, spreads.webKey, (found) => {
      const annotations = { [releaseAnnotation]: releasing(found, subset) };
      return { ...found, metadata: { ...found.metadata, annotations } };
    });

  story.step('The image becomes web:2. No subset is released.', () => spreads.setImage(world, 'web:2'), key);
  story.step('The subset a is released.', release('a'), key);
  story.step('Its pods become available.', () => spreads.rollOut(world), key);
  story.step(
    'The subset c is added.',
    () => {
      spreads.editSpec(world, () => ({ topology: { subsets: [...zones, spreads.zone('c')] } }));
    },
    key,
  );
  story.step('Its pods become available.', () => spreads.rollOut(world), key);
  const { conditions } = spreads.statusOf(world);
  story.status('The status says', conditions);
  story.step(
    'The subsets b and c are released.',
    () => {
      release('b')();
      release('c')();
    },
    key,
  );
  story.step('Their pods become available.', () => spreads.rollOut(world), key);
  await expect(story.text()).toMatchFileSnapshot('./subsets-released-one-by-one.txt');
});
