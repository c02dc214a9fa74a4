import type { StructuralSchema } from '@atoll/api/schema';
import fc from 'fast-check';
import {
  hostileJson,
  hostileKey,
  hostileNumber,
  hostileText,
  type Json,
  type JsonObject,
} from './hostile.ts';

/** Values that a structural schema mostly allows. Its CEL rules are left to chance. */
export function fromSchema(schema: StructuralSchema): fc.Arbitrary<Json> {
  const { enum: allowed, properties, additionalProperties, items, type } = schema;
  if (allowed !== undefined && allowed.length > 0) return fc.constantFrom(...(allowed as readonly Json[]));
  if (schema['x-kubernetes-int-or-string'] === true)
    return fc.oneof(
      hostileNumber.map(Math.trunc),
      fc.constantFrom('0%', '1%', '50%', '100%', '200%', '-1%', 'x'),
    );
  if (properties !== undefined) return ofFields(properties, schema.required ?? []);
  if (additionalProperties !== undefined)
    return fc
      .array(
        fc.tuple(fc.oneof(fc.constantFrom('app', 'a.b/c'), hostileKey), fromSchema(additionalProperties)),
        {
          maxLength: 4,
        },
      )
      .map((entries): JsonObject => Object.fromEntries(entries));
  if (items !== undefined) return fc.array(fromSchema(items), { maxLength: schema.maxItems ?? 4 });
  if (type === 'string') return textOf(schema);
  if (type === 'integer' || type === 'number')
    return fc.oneof(
      hostileNumber.map(Math.trunc),
      fc.integer({ min: schema.minimum ?? 0, max: schema.maximum ?? 100 }),
    );
  if (type === 'boolean') return fc.boolean();
  return hostileJson;
}

function textOf({ pattern }: StructuralSchema): fc.Arbitrary<string> {
  const common = fc.constantFrom('a', 'app', 'web', 'zone-a', '10m', '1s', '2030-01-01T00:00:00Z');
  if (pattern === undefined) return fc.oneof(common, hostileText);
  return fc.oneof(common, fc.stringMatching(new RegExp(pattern, 'u')), hostileText);
}

function ofFields(
  properties: Readonly<Record<string, StructuralSchema>>,
  required: readonly string[],
): fc.Arbitrary<Json> {
  const fields = Object.fromEntries(Object.entries(properties).map(([key, each]) => [key, fromSchema(each)]));
  return fc.record(fields, { requiredKeys: [...required] }) as fc.Arbitrary<JsonObject>;
}
