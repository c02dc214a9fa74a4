import { cel, rules } from './markers.ts';
import type { StructuralSchema } from './to-structural.ts';

/**
 * The same schema, where a field that may be left out may be null as well. The API server drops a null that a user
 * writes; a null that somebody's mutating webhook adds it refuses, unless the field is nullable. OpenKruise's adds
 * `spec.topology.subsets[].patch: null`, because Go writes an absent RawExtension so. Rules see a null as no field.
 */
export function withNulls(schema: StructuralSchema): StructuralSchema {
  const { properties, items, additionalProperties, required = [] } = schema;
  return {
    ...schema,
    ...(properties !== undefined && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, field]) => {
          // The API server gives a field with a default its default instead of a null.
          const isOptional = !required.includes(name) && field.default === undefined;
          return [name, isOptional ? nullable(withNulls(field)) : withNulls(field)];
        }),
      ),
    }),
    ...(items !== undefined && { items: withNulls(items) }),
    ...(additionalProperties !== undefined && { additionalProperties: withNulls(additionalProperties) }),
  };
}

/** To the API server (1.36) no enum holds null, so a rule replaces the enum. */
function nullable({ enum: allowed, ...field }: StructuralSchema): StructuralSchema {
  if (allowed === undefined) return { ...field, nullable: true };
  const given = allowed.map((value) => JSON.stringify(value)).join(', ');
  const rule = cel(`self in [${given}]`, `must be one of ${given}`, {
    messageExpression: `'"' + self + '" is not supported; it must be one of ${given}'`,
  });
  const { 'x-kubernetes-validations': others = [] } = field;
  return { ...field, nullable: true, ...rules(...others, rule) };
}
