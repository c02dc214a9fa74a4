import type { UnitedDeployment } from '@atoll/api';

/** Deeper than every field of the schema. */
const maxDepth = 8;

/** Specs of a cache are frozen, and most versions of an object share theirs. */
const known = new WeakMap<object, UnitedDeployment['spec']>();

/**
 * The same object, without the fields of its spec that are null: somebody's webhook may write them (`withNulls` of the
 * schema). A patch is left as it is, because there null takes a field away; so are the pods, where null means absent
 * wherever they are read.
 */
export function withoutNulls<Read extends UnitedDeployment>(object: Read): Read {
  const { spec } = object;
  const clean = known.get(spec) ?? (dropNulls(spec, 0) as UnitedDeployment['spec']);
  if (Object.isFrozen(spec)) known.set(spec, clean);
  return clean === spec ? object : { ...object, spec: clean };
}

/** The value itself where nothing in it is null. */
function dropNulls(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null || depth > maxDepth) return value;
  if (Array.isArray(value)) {
    const items = value.map((item) => dropNulls(item, depth + 1));
    return items.every((item, index) => item === value[index]) ? value : items;
  }
  const before = Object.entries(value);
  const after = before.flatMap(([name, field]: [string, unknown]) => {
    if (field === null) return [];
    const isLeft = name === 'patch' || (name === 'template' && depth > 0);
    return [[name, isLeft ? field : dropNulls(field, depth + 1)] as const];
  });
  const isSame =
    after.length === before.length && after.every(([, field], index) => field === before[index]?.[1]);
  // Object.fromEntries defines, so that a field called __proto__ stays a field.
  return isSame ? value : Object.fromEntries(after);
}
