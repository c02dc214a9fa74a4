import { replacedSchemas } from './kinds.ts';
import { refsWithin, type Schema } from './schema.ts';

const LONGEST_SENTENCE = 160;

/** The wanted schemas and all that they refer to, sorted by name, without what the generator does not read. */
export function trimSchemas(
  all: Readonly<Record<string, Schema>>,
  wanted: readonly string[],
): Readonly<Record<string, Schema>> {
  const kept = new Map<string, Schema>();
  const pending = [...wanted];
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    if (kept.has(name) || name in replacedSchemas) continue;
    const schema = all[name];
    if (schema === undefined) throw new Error(`the API server has no schema ${name}`);
    kept.set(name, trim(schema));
    pending.push(...refsWithin(schema));
  }
  return Object.fromEntries([...kept].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function trim(schema: Schema): Schema {
  const { type, format, $ref, allOf, items, properties, required, additionalProperties } = schema;
  const description = firstSentence(schema.description);
  return {
    ...(description === undefined ? {} : { description }),
    ...(type === undefined ? {} : { type }),
    ...(format === undefined ? {} : { format }),
    ...($ref === undefined ? {} : { $ref }),
    ...(allOf === undefined ? {} : { allOf: allOf.map(trim) }),
    ...(items === undefined ? {} : { items: trim(items) }),
    ...(required === undefined ? {} : { required: required.toSorted() }),
    ...(properties === undefined ? {} : { properties: mapValues(properties, trim) }),
    ...(additionalProperties === undefined
      ? {}
      : {
          additionalProperties: typeof additionalProperties === 'object' ? trim(additionalProperties) : true,
        }),
  };
}

/** Enough to know what a field is; the rest is in the reference of the Kubernetes API. */
export function firstSentence(description: string | undefined): string | undefined {
  const plain = description?.replaceAll(/\s+/g, ' ').replaceAll('*/', '* /').trim();
  if (plain === undefined || plain === '') return undefined;
  const end = plain.search(/\.(?= [A-Z`"[]|$)/);
  const sentence = end === -1 ? plain : plain.slice(0, end + 1);
  return sentence.length <= LONGEST_SENTENCE
    ? sentence
    : `${sentence.slice(0, LONGEST_SENTENCE).replace(/[\s,;]*\S*$/, '')} …`;
}

function mapValues<V, R>(record: Readonly<Record<string, V>>, map: (value: V) => R): Record<string, R> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}
