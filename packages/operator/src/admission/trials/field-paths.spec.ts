import { expect, it } from 'vitest';
import { toWorkloadField } from './field-paths.ts';

it.each([
  ['spec.template.spec.containers[0].image', 'deploymentTemplate.spec.template.spec.containers[0].image'],
  ['.spec.strategy.type', 'deploymentTemplate.spec.strategy.type'],
  ['metadata.labels', 'deploymentTemplate.metadata.labels'],
  ['metadata.annotations[a b]', 'deploymentTemplate.metadata.annotations[a b]'],
])('%s of a child is in the template', (field, expected) => {
  expect(toWorkloadField(field, 'Deployment')).toBe(`spec.workloadTemplate.${expected}`);
});

it.each([
  ['spec.selector.matchLabels', 'spec.selector.matchLabels'],
  ['metadata.name', 'metadata.name'],
  ['', 'spec.workloadTemplate.statefulSetTemplate'],
  ['<nil>', 'spec.workloadTemplate.statefulSetTemplate'],
])('"%s" of a child is "%s" of the workload', (field, expected) => {
  expect(toWorkloadField(field, 'StatefulSet')).toBe(expected);
});
