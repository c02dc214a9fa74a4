import type { UnitedDeployment } from '@atoll/api';
import { controllerRevisions, deployments } from '@atoll/kube';
import { expect, it } from 'vitest';
import { editSpec, rollOut, spread, web, zone } from '../../../simulation/examples/spread-example.ts';

const metadata = { labels: { app: 'web' } };
const pods = { metadata, spec: { containers: [{ name: 'web', image: 'web:1' }] } };

function templateWith(more: object): UnitedDeployment['spec']['template'] {
  return { deploymentTemplate: { metadata, spec: { ...more, template: pods } } } as never;
}

/** Why a field that is added with its zero value is another template: from then on the object sets it, and what somebody set on a child is put back. */
it.each([
  ['paused: false', { paused: true }, { paused: false }],
  ['minReadySeconds: 0', { minReadySeconds: 30 }, { minReadySeconds: 0 }],
])('%s, added to a template, puts back what somebody set on a child', (_title, onChild, zero) => {
  const template = templateWith({});
  const { world, controller } = spread(web([zone('a')], 'Deployment', { replicas: 2, template }));
  const steady = (): void => void world.untilSteady(controller, 'ns/web');
  steady();
  rollOut(world);
  steady();
  const [child] = world.list(deployments);
  const key = { namespace: 'ns', name: child?.metadata.name ?? '' };
  world.edit(deployments, key, (found) => ({ ...found, spec: { ...found.spec, ...onChild } as never }));
  steady();
  expect(world.get(deployments, key).spec).toMatchObject(onChild);
  editSpec(world, () => ({ template: templateWith(zero) }));
  steady();
  const after = world.get(deployments, key).spec;
  expect(after).toMatchObject(zero);
  expect(after?.template).toEqual(child?.spec?.template);
  expect(world.list(controllerRevisions)).toHaveLength(2);
});
