import type { ChildKind } from '../../pool-workload/child.ts';
import { templateMembers } from '../../pool-workload/template.ts';

/** What is wrong with a field. */
export interface FieldProblem {
  readonly field: string;
  readonly message: string;
}

/**
 * The field of the workload that a field of its child was made of, so that users find what they have written:
 * `spec.template.spec.containers[0].image` is
 * `spec.workloadTemplate.deploymentTemplate.spec.template.spec.containers[0].image`.
 */
export function toWorkloadField(childField: string, kind: ChildKind): string {
  return toTemplateField(childField, `spec.workloadTemplate.${templateMembers[kind]}`);
}

/** The same for the template at any path of an object: its children are workloads with the object's own `spec.selector`, or pods. */
export function toTemplateField(childField: string, template: string): string {
  const field = childField.replace(/^\./, '');
  if (field === '' || field === '<nil>') return template;
  // The selector of a child is the workload's own, and its name is made of the workload's.
  if (/^spec\.selector\b/.test(field)) return field;
  if (/^spec\b/.test(field)) return `${template}.${field}`;
  if (/^metadata\.(labels|annotations)\b/.test(field)) return `${template}.${field}`;
  return field;
}
