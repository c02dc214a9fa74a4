/**
 * The field of the object with a template, at the path `template`, that a field of its child was made of, so that users find what they
 * have written: `spec.template.spec.containers[0].image` is `spec.workloadTemplate.deploymentTemplate.spec.template.spec.containers[0].image`.
 * Children are workloads with the object's own `spec.selector`, or pods.
 */
export function toTemplateField(childField: string, template: string): string {
  const field = childField.replace(/^\./, '');
  if (field === '' || field === '<nil>') return template;
  // The selector of a child is the workload's own, and its name is made of the workload's.
  if (/^spec\.selector\b/.test(field)) return field;
  if (/^spec\b/.test(field)) return `${template}.${field}`;
  if (/^metadata\.(labels|annotations)\b/.test(field)) return `${template}.${field}`;
  return field;
}
