import { toTemplateField } from '../../engine/problems/template-field.ts';
import type { ChildKind } from '../../pool-workload/child.ts';
import { templateField } from '../../pool-workload/template.ts';

/** The field of the workload that a field of its child was made of. */
export function toWorkloadField(childField: string, kind: ChildKind): string {
  return toTemplateField(childField, templateField(kind));
}
