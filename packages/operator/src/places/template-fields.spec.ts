import { expect, it } from 'vitest';
import { setImage, spread, web, zone } from '../../simulation/examples/spread-example.ts';
import { editPods, workedExample } from '../../simulation/examples/worked-example.ts';
import type { Step } from '../engine/step.ts';

/** By step and place the field that its child is made of. */
function templateFields(reconciled: {
  readonly plan: { readonly stages: readonly { readonly steps: readonly Step[] }[] };
}) {
  return reconciled.plan.stages
    .flatMap(({ steps }) => steps)
    .filter((step) => (step.do === 'create' || step.do === 'apply') && step.target !== undefined)
    .map((step) => `${step.do} ${step.target} ${('template' in step && step.template) || 'several'}`);
}

it('a child of a pool is made of the template, so that a refusal names the field there', () => {
  const { world, controller } = workedExample();
  const field = 'spec.workloadTemplate.deploymentTemplate';
  expect(templateFields(world.reconcile(controller, 'ns/web'))).toEqual([
    `create bj ${field}`,
    `create hz ${field}`,
  ]);
  editPods(world, (spec) => ({ ...spec, containers: [{ name: 'web', image: 'web:2' }] }));
  expect(templateFields(world.reconcile(controller, 'ns/web'))).toEqual([
    `apply bj ${field}`,
    `apply hz ${field}`,
  ]);
});

it('a child of a subset is, unless the subset has a patch, which a field may be of', () => {
  const patch = { spec: { containers: [{ name: 'web', env: [{ name: 'A', value: 'b' }] }] } };
  const { world, controller } = spread(web([zone('a'), zone('b', { patch })], 'CloneSet'));
  const field = 'spec.template.cloneSetTemplate';
  expect(templateFields(world.reconcile(controller, 'ns/web'))).toEqual([
    `create a ${field}`,
    'create b several',
  ]);
  setImage(world, 'web:2', 'CloneSet');
  expect(templateFields(world.reconcile(controller, 'ns/web'))).toEqual([
    `apply a ${field}`,
    'apply b several',
  ]);
});
