import type { JSONSchemaProps } from '@atoll/kube';
import { z } from 'zod';

/** A node of a structural schema (`JSONSchemaProps`), as a CustomResourceDefinition holds it. */
export interface StructuralSchema extends JSONSchemaProps {
  readonly properties?: Readonly<Record<string, StructuralSchema>>;
  readonly additionalProperties?: StructuralSchema;
  readonly items?: StructuralSchema;
}

type JsonNode = Readonly<Record<string, unknown>>;

const copiedKeys: ReadonlySet<string> = new Set([
  'description',
  'default',
  'enum',
  'nullable',
  'pattern',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'x-kubernetes-list-type',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-map-type',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-embedded-resource',
  'x-kubernetes-validations',
]);

const handledKeys: ReadonlySet<string> = new Set([
  'type',
  'properties',
  'required',
  'items',
  'additionalProperties',
  'format',
  'anyOf',
  'x-kubernetes-int-or-string',
]);

/** The order in which a schema is written: what it is, what it allows, what it consists of. */
const keyOrder: readonly (keyof StructuralSchema)[] = [
  'description',
  'type',
  'format',
  'nullable',
  'default',
  'enum',
  'pattern',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
  'x-kubernetes-int-or-string',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-embedded-resource',
  'x-kubernetes-map-type',
  'x-kubernetes-list-type',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-validations',
  'anyOf',
  'required',
  'properties',
  'additionalProperties',
  'items',
];

const scalarTypes: ReadonlySet<unknown> = new Set(['string', 'integer', 'number', 'boolean']);

/**
 * The structural schema with the meaning of a zod schema. Throws, with the path of the field, on everything that the
 * API server refuses or would silently treat otherwise: references, unions, untyped fields, objects that allow any
 * field without the marker that preserves it, key patterns, look-around in patterns, list keys that may be absent.
 * Source: Kubernetes, "Specifying a structural schema"; `apiextensions.k8s.io/v1` validation.
 */
export function toStructural(schema: z.ZodType, name: string): StructuralSchema {
  const json = z.toJSONSchema(schema, {
    target: 'openapi-3.0',
    io: 'input',
    reused: 'inline',
    override: ({ zodSchema, jsonSchema }) => {
      // The conversion drops the rule of a map's keys; kept here, it is refused below, with the path.
      if (isRecordWithKeyRules(zodSchema)) jsonSchema.propertyNames = {};
    },
  });
  return convert(json as JsonNode, name);
}

function convert(node: JsonNode, path: string): StructuralSchema {
  const converted = convertByType(node, path);
  return Object.fromEntries(
    keyOrder.filter((key) => converted[key] !== undefined).map((key) => [key, converted[key]]),
  );
}

function convertByType(node: JsonNode, path: string): StructuralSchema {
  rejectUnknownKeys(node, path);
  const kept = keep(node, path);
  if (node['x-kubernetes-int-or-string'] === true) {
    return { ...kept, anyOf: [{ type: 'integer' }, { type: 'string' }], 'x-kubernetes-int-or-string': true };
  }
  if (node['anyOf'] !== undefined) {
    fail(path, 'a union is not structural: make every member an optional field and add a cel() rule');
  }
  const type = node['type'];
  if (type === 'object') return { ...kept, type, ...convertObject(node, path) };
  if (type === 'array') return { ...kept, type, ...convertArray(node, path) };
  if (type === 'integer') return { ...boundless(kept), type, format: integerFormat(node, path) };
  if (scalarTypes.has(type)) return { ...kept, type: type as 'string', ...formatOf(node) };
  if (type === undefined && node['x-kubernetes-preserve-unknown-fields'] === true) return kept;
  return fail(path, `has ${type === undefined ? 'no type' : `the type ${JSON.stringify(type)}`}`);
}

function isRecordWithKeyRules(schema: z.core.$ZodType): boolean {
  if (!(schema instanceof z.ZodRecord)) return false;
  const { type, checks } = schema.keyType._zod.def as z.core.$ZodTypeDef;
  return type !== 'string' || (checks?.length ?? 0) > 0;
}

function rejectUnknownKeys(node: JsonNode, path: string): void {
  for (const key of Object.keys(node)) {
    if (copiedKeys.has(key) || handledKeys.has(key)) continue;
    fail(path, `a structural schema cannot express ${key}`);
  }
}

function keep(node: JsonNode, path: string): StructuralSchema {
  const kept: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(node)) {
    if (copiedKeys.has(key)) kept[key] = value;
  }
  if (node['format'] === 'date-time') delete kept['pattern'];
  const pattern = kept['pattern'];
  if (typeof pattern === 'string' && /\(\?(?:[=!]|<[=!])|\\[1-9]/.test(pattern)) {
    fail(path, `the pattern ${pattern} looks around or back, which RE2 cannot`);
  }
  return kept;
}

function convertObject(node: JsonNode, path: string): Partial<StructuralSchema> {
  const properties = node['properties'] as Readonly<Record<string, JsonNode>> | undefined;
  const rest = node['additionalProperties'] as JsonNode | boolean | undefined;
  const preserves = node['x-kubernetes-preserve-unknown-fields'] === true;
  if (properties === undefined && isSchema(rest)) {
    return { additionalProperties: convert(rest, `${path}.*`) };
  }
  if (isSchema(rest)) fail(path, 'has both named fields and a schema for all others');
  if (rest !== false && !preserves) {
    fail(path, 'allows any field, which the API server would drop: use z.strictObject or embedded()');
  }
  const converted: Record<string, StructuralSchema> = {};
  for (const [key, child] of Object.entries(properties ?? {})) {
    converted[key] = convert(child, `${path}.${key}`);
  }
  const required = node['required'];
  return {
    ...(Object.keys(converted).length > 0 && { properties: converted }),
    ...(Array.isArray(required) && required.length > 0 && { required: required as string[] }),
  };
}

/** `false`, `true` and `{}` leave the other fields open. */
function isSchema(rest: JsonNode | boolean | undefined): rest is JsonNode {
  return typeof rest === 'object' && Object.keys(rest).length > 0;
}

function convertArray(node: JsonNode, path: string): Partial<StructuralSchema> {
  const items = node['items'];
  if (typeof items !== 'object' || items === null) return fail(path, 'has no schema for its items');
  const converted = convert(items as JsonNode, `${path}[]`);
  for (const key of (node['x-kubernetes-list-map-keys'] ?? []) as readonly string[]) {
    const required = converted.required?.includes(key) === true;
    const field = converted.properties?.[key];
    if (field === undefined || (!required && field.default === undefined)) {
      fail(path, `the list key ${key} must be a required field of the items or have a default`);
    }
  }
  return { items: converted };
}

/** zod writes the bounds of the integer type; Kubernetes has a format for them. */
function integerFormat(node: JsonNode, path: string): 'int32' | 'int64' {
  const { minimum, maximum } = node;
  if (typeof minimum !== 'number' || typeof maximum !== 'number') {
    return fail(path, 'is an integer without bounds: use int32() or int64()');
  }
  return maximum <= 2_147_483_647 && minimum >= -2_147_483_648 ? 'int32' : 'int64';
}

function boundless(kept: StructuralSchema): StructuralSchema {
  const { minimum, maximum, ...rest } = kept;
  return {
    ...rest,
    ...(!isTypeBound(minimum) && { minimum }),
    ...(!isTypeBound(maximum) && { maximum }),
  };
}

function isTypeBound(bound: unknown): boolean {
  return [-2_147_483_648, 2_147_483_647, Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER].includes(
    bound as number,
  );
}

function formatOf(node: JsonNode): { readonly format?: string } {
  return typeof node['format'] === 'string' ? { format: node['format'] } : {};
}

function fail(path: string, what: string): never {
  throw new Error(`${path}: ${what}`);
}
