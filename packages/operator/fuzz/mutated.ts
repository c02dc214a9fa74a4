import type { StructuralSchema } from '@atoll/api/schema';
import fc from 'fast-check';
import { fromSchema } from './from-schema.ts';
import {
  hostileJson,
  hostileKey,
  hostileNumber,
  hostileText,
  type Json,
  type JsonObject,
} from './hostile.ts';

type Path = readonly (string | number)[];

/** A field that is there, or that the schema has and the object has not. */
interface Place {
  readonly path: Path;
  readonly value: Json | undefined;
  readonly schema: StructuralSchema | undefined;
}

const mostLevels = 14;
const mostPlaces = 500;

/** The object with one to four changes: values of the schema, of the same sort, hostile ones, fields away, lists many times as long. */
export function mutated(object: JsonObject, schema: StructuralSchema): fc.Arbitrary<JsonObject> {
  const once = (value: JsonObject): fc.Arbitrary<JsonObject> =>
    fc
      .constantFrom(...placesOf(value, schema))
      .chain((place) => changed(value, place)) as fc.Arbitrary<JsonObject>;
  return fc.integer({ min: 1, max: 4 }).chain((times) => {
    let result = once(object);
    for (let more = 1; more < times; more += 1) result = result.chain(once);
    return result;
  });
}

function placesOf(object: Json, root: StructuralSchema): readonly Place[] {
  const places: Place[] = [];
  const visit = (value: Json | undefined, schema: StructuralSchema | undefined, path: Path): void => {
    if (places.length >= mostPlaces || path.length > mostLevels) return;
    // The object itself stays one.
    if (path.length > 0) places.push({ path, value, schema });
    if (Array.isArray(value)) {
      for (const [index, item] of value.slice(0, 5).entries())
        visit(item as Json, schema?.items, [...path, index]);
      return;
    }
    if (value === undefined || !isObject(value)) return;
    const { properties = {}, additionalProperties } = schema ?? {};
    const keys = new Set([...Object.keys(properties), ...Object.keys(value).slice(0, 20)]);
    for (const key of keys) {
      const known = Object.hasOwn(properties, key) ? properties[key] : additionalProperties;
      visit(Object.hasOwn(value, key) ? value[key] : undefined, known, [...path, key]);
    }
  };
  visit(object, root, []);
  return places;
}

function changed(object: Json, { path, value, schema }: Place): fc.Arbitrary<Json> {
  const put = (to: Json | undefined): Json => withAt(object, path, to) ?? null;
  const options: fc.WeightedArbitrary<Json>[] = [{ weight: 2, arbitrary: hostileJson.map(put) }];
  if (schema !== undefined) options.push({ weight: 6, arbitrary: fromSchema(schema).map(put) });
  if (value !== undefined) options.push({ weight: 1, arbitrary: fc.constant(put(undefined)) });
  if (typeof value === 'string') options.push({ weight: 4, arbitrary: hostileText.map(put) });
  if (typeof value === 'number') options.push({ weight: 4, arbitrary: hostileNumber.map(put) });
  if (typeof value === 'boolean') options.push({ weight: 4, arbitrary: fc.constant(put(!value)) });
  if (Array.isArray(value))
    options.push({
      weight: 2,
      arbitrary: fc
        .constantFrom(0, 2, 100)
        .map((times) => put(Array.from({ length: times }, () => value as readonly Json[]).flat())),
    });
  else if (value !== undefined && isObject(value))
    options.push({
      weight: 3,
      arbitrary: fc
        .tuple(hostileKey, hostileJson)
        .map(([key, added]) => withAt(object, [...path, key], added) ?? null),
    });
  return fc.oneof(...options);
}

/** `undefined` removes. Fields are made anew, so that `__proto__` is one like others. */
function withAt(object: Json | undefined, path: Path, to: Json | undefined): Json | undefined {
  const [key, ...rest] = path;
  if (key === undefined) return to;
  if (Array.isArray(object)) {
    const items = object as readonly Json[];
    const item = withAt(items[Number(key)], rest, to);
    return items.flatMap((each, index) => (index !== key ? [each] : item === undefined ? [] : [item]));
  }
  const fields = object !== undefined && isObject(object) ? Object.entries(object) : [];
  const before = fields.find(([name]) => name === key)?.[1];
  const after = withAt(before, rest, to);
  const others = fields.filter(([name]) => name !== key);
  return Object.fromEntries(after === undefined ? others : [...others, [String(key), after]]);
}

function isObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
