import type { StructuralSchema } from '@atoll/api/schema';

const reference = 'https://kubernetes.io/docs/reference/kubernetes-api';

/** A shape that Kubernetes itself documents, so that no page of ours repeats it. */
export interface KubernetesShape {
  readonly name: string;
  readonly url: string;
}

const podTemplate = {
  name: 'PodTemplateSpec',
  url: `${reference}/workload-resources/pod-template-v1/#PodTemplateSpec`,
};
const labelSelector = {
  name: 'LabelSelector',
  url: `${reference}/common-definitions/label-selector/#LabelSelector`,
};
const objectMeta = {
  name: 'ObjectMeta',
  url: `${reference}/common-definitions/object-meta/#ObjectMeta`,
};

/** undefined: the shape is ours, and has a table of its own. */
export function kubernetesShape(schema: StructuralSchema): KubernetesShape | undefined {
  const { properties = {} } = schema;
  const names = Object.keys(properties).toSorted().join(' ');
  if (properties['spec']?.properties?.['containers'] !== undefined) return podTemplate;
  if (names === 'matchExpressions matchLabels') return labelSelector;
  if (names === 'annotations labels') return objectMeta;
  return undefined;
}

/** What a field holds, in words. `link` is where the table of an object is. */
export function fieldType(schema: StructuralSchema, link: (of: StructuralSchema) => string): string {
  const { items, additionalProperties, type, format } = schema;
  if (items !== undefined) return listType(schema, items, link);
  if (additionalProperties !== undefined) return `map of ${fieldType(additionalProperties, link)}`;
  if (schema['x-kubernetes-int-or-string'] === true)
    return schema.pattern === undefined ? 'number or percentage' : 'quantity';
  if (type === undefined) return 'as in Kubernetes';
  if (type === 'object') return objectType(schema, link);
  if (isDuration(schema)) return 'duration';
  return format === 'date-time' ? 'time' : type;
}

/** A CustomResourceDefinition has no format for what Go reads as a duration, so a rule checks it. */
function isDuration({ 'x-kubernetes-validations': rules = [] }: StructuralSchema): boolean {
  return rules.some(({ message }) => message?.startsWith('must be a duration'));
}

function listType(
  schema: StructuralSchema,
  items: StructuralSchema,
  link: (of: StructuralSchema) => string,
): string {
  const keys = (schema['x-kubernetes-list-map-keys'] ?? []).map((key) => `\`${key}\``);
  const unique =
    keys.length > 0
      ? `, one for each ${keys.join(' and ')}`
      : schema['x-kubernetes-list-type'] === 'set'
        ? ', each once'
        : '';
  return `list of ${fieldType(items, link)}${unique}`;
}

function objectType(schema: StructuralSchema, link: (of: StructuralSchema) => string): string {
  const shape = kubernetesShape(schema);
  if (shape !== undefined) return `[${shape.name}](${shape.url})`;
  return schema.properties === undefined ? 'object' : `[object](${link(schema)})`;
}

/** The values that a field may have, beside its type; empty: every one. */
export function allowedValues(schema: StructuralSchema): string {
  const { enum: values, minimum, maximum, minLength, maxLength, minItems, maxItems, maxProperties } = schema;
  return [
    ...(values === undefined ? [] : [values.map((value) => code(value)).join(', ')]),
    ...between(minimum, maximum, ''),
    ...(schema.type === 'string' && !isDuration(schema) ? between(minLength, maxLength, 'characters') : []),
    ...between(minItems, maxItems, 'entries'),
    ...between(undefined, maxProperties, 'entries'),
  ].join('; ');
}

function between(least: number | undefined, most: number | undefined, unit: string): readonly string[] {
  const text = (words: string): string => (unit === '' ? words : `${words} ${unit}`);
  if (least !== undefined && most !== undefined) return [text(`${least} to ${most}`)];
  if (least !== undefined) return [text(`at least ${least}`)];
  return most === undefined ? [] : [text(`at most ${most}`)];
}

/** A value as JSON, but for plain strings. */
export function code(value: unknown): string {
  return `\`${typeof value === 'string' && value !== '' ? value : JSON.stringify(value)}\``;
}
