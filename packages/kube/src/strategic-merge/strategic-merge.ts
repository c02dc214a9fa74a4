import { setField } from '../values/set-field.ts';
import { walkLater, type Later } from '../values/walk-later.ts';
import { isFields, type Fields } from '../values/fields.ts';
import {
  addition,
  childPath,
  deletePrefix,
  fieldsAt,
  hasPatchDirective,
  isDirective,
  listAt,
  orderPrefix,
  patchDirective,
  replacement,
  retainKeysDirective,
  withoutDirectives,
} from './directives.ts';
import { orderElements, type KeyOf } from './element-order.ts';
import { fieldOfSchema } from './field-of-schema.ts';
import type { PatchField, PatchSchema } from './patch-schema.ts';
import { StrategicMergeError } from './strategic-merge-error.ts';

/**
 * The original with a strategic merge patch, as an API server answers to `application/strategic-merge-patch+json`:
 * objects are merged, null deletes, lists are merged by the schema's keys or replaced, and the directives `$patch`
 * (`replace`, `delete`), `$retainKeys`, `$setElementOrder/…` and `$deleteFromPrimitiveList/…` do what they do there.
 * Nothing of the input changes; what is not touched is shared with the result.
 *
 * Throws a {@link StrategicMergeError} with the path in the patch. That is so too for a few directives with which an API
 * server (1.36) does what nobody can have meant: in lists that are replaced as a whole it takes `$patch` for a field,
 * `$deleteFromPrimitiveList` for the new list, and `$setElementOrder` makes it fail. Where it fails over lists without
 * elements, or makes `""` of a null in an object that replaces another, there is here no list, and nothing; so it is
 * where it keeps what is to be deleted from such an object, or leaves an element `{}` in it.
 */
export function strategicMerge(original: unknown, patch: unknown, schema: PatchSchema): unknown {
  return walkLater((later) =>
    mergeObject(fieldsAt('', original ?? {}), fieldsAt('', patch), schema, '', later),
  );
}

/**
 * The fields of objects below are merged later: those may be of any depth, while the lists that are merged by key are as
 * deep as their schema.
 */
function mergeObject(
  original: Fields,
  patch: Fields,
  schema: PatchSchema,
  path: string,
  later: Later,
): Fields {
  if (hasPatchDirective(patch)) {
    const directive = patch[patchDirective];
    if (directive === 'replace') return withoutDirectives(patch);
    if (directive === 'delete') return {};
    throw unknownDirective(path, directive);
  }
  const merged = new Map(Object.entries(retainKeys(original, patch, path)));
  const done = new Set<string>();
  for (const [directive, order] of withPrefix(patch, orderPrefix)) {
    const key = directive.slice(orderPrefix.length);
    if (patch[key] !== null) done.add(key);
    const list = mergeInOrder(merged.get(key), patch[key], order, fieldOfSchema(schema, key), {
      path,
      key,
      directive,
      later,
    });
    if (list !== undefined) merged.set(key, list);
  }
  for (const [directive, doomed] of withPrefix(patch, deletePrefix)) {
    const key = directive.slice(deletePrefix.length);
    const at = childPath(path, directive);
    if (fieldOfSchema(schema, key)?.type !== 'set')
      throw new StrategicMergeError(at, `${key} is no list that is merged by value`);
    const gone = new Set(listAt(at, doomed));
    const present = merged.get(key);
    if (Array.isArray(present))
      merged.set(
        key,
        present.filter((element) => !gone.has(element)),
      );
  }
  for (const [key, value] of Object.entries(patch)) {
    if (isDirective(key) || done.has(key)) continue;
    const next = mergeField(merged.get(key), value, fieldOfSchema(schema, key), childPath(path, key), later);
    if (next === undefined) merged.delete(key);
    else merged.set(key, next);
  }
  return Object.fromEntries(merged);
}

/** undefined: the field is to go. */
function mergeField(
  present: unknown,
  value: unknown,
  field: PatchField | undefined,
  path: string,
  later: Later,
): unknown {
  if (value === null) return undefined;
  if (field?.type === 'list' || field?.type === 'set') {
    const list = listAt(path, value);
    if (!Array.isArray(present)) return addition(list);
    return field.type === 'set' ? mergeSet(present, list) : mergeList(present, list, field, path, later);
  }
  if (field?.type === 'object') fieldsAt(path, value);
  if (isFields(present) && isFields(value)) {
    const merged: Record<string, unknown> = {};
    later(() => {
      const fields = mergeObject(present, value, field?.type === 'object' ? field.schema : {}, path, later);
      for (const [key, each] of Object.entries(fields)) setField(merged, key, each);
    });
    return merged;
  }
  if (Array.isArray(present) && Array.isArray(value)) {
    const special = value.findIndex(hasPatchDirective);
    if (special === -1) return replacement(value);
    throw new StrategicMergeError(
      `${path}[${special}].${patchDirective}`,
      'this list is replaced as a whole',
    );
  }
  return addition(value);
}

interface MergedList {
  readonly mergeKey: string;
  readonly element: PatchSchema;
}

function mergeList(
  original: readonly unknown[],
  patch: readonly unknown[],
  { mergeKey, element }: MergedList,
  path: string,
  later: Later,
): readonly unknown[] {
  const keyOf: KeyOf = (each) => (isFields(each) ? each[mergeKey] : undefined);
  for (const each of original) keyAt('', each, mergeKey, `${path} of what is patched`);
  const plain: (readonly [Fields, string])[] = [];
  let before = original;
  let replaces = false;
  for (const [i, each] of patch.entries()) {
    const at = `${path}[${i}]`;
    const fields = fieldsAt(at, each);
    const directive = fields[patchDirective];
    if (!hasPatchDirective(fields)) {
      keyAt(at, fields, mergeKey);
      plain.push([fields, at]);
    } else if (directive === 'delete') {
      const gone = keyAt(at, fields, mergeKey);
      before = before.filter((present) => keyOf(present) !== gone);
    } else if (directive === 'replace') replaces = true;
    else throw unknownDirective(at, directive);
  }
  if (replaces) return plain.map(([fields]) => withoutDirectives(fields));
  const merged = [...before];
  for (const [fields, at] of plain) {
    const i = merged.findIndex((present) => keyOf(present) === fields[mergeKey]);
    if (i === -1) merged.push(withoutDirectives(fields));
    else merged[i] = mergeObject(fieldsAt(path, merged[i]), fields, element, at, later);
  }
  const wanted = plain.map(([fields]) => fields);
  return orderElements(merged, wanted, before, keyOf);
}

function mergeSet(original: readonly unknown[], patch: readonly unknown[]): readonly unknown[] {
  return orderElements([...new Set([...original, ...patch])], patch, original, (each) => each);
}

interface Place {
  readonly path: string;
  readonly key: string;
  readonly directive: string;
  readonly later: Later;
}

/** A list with `$setElementOrder`, whether the patch changes it or only its order; undefined where there is none. */
function mergeInOrder(
  present: unknown,
  value: unknown,
  order: unknown,
  field: PatchField | undefined,
  { path, key, directive, later }: Place,
): unknown {
  const at = childPath(path, directive);
  const listPath = childPath(path, key);
  if (field?.type !== 'list' && field?.type !== 'set')
    throw new StrategicMergeError(at, `${key} is no list that is merged`);
  const wanted = listAt(at, order);
  const keyOf: KeyOf =
    field.type === 'set' ? (each) => each : (each) => (isFields(each) ? each[field.mergeKey] : undefined);
  if (field.type === 'list')
    for (const [i, each] of wanted.entries()) keyAt(`${at}[${i}]`, each, field.mergeKey);
  if (value === null) return undefined;
  const list = value === undefined ? [] : listAt(listPath, value);
  const named = list.filter((each) => !hasPatchDirective(each)).map(keyOf);
  if (wanted.length > 0 && !isSubsequence(named, wanted.map(keyOf)))
    throw new StrategicMergeError(at, `names not all of ${key}, or in another order`);
  const merged = value === undefined ? present : mergeField(present, value, field, listPath, later);
  if (!Array.isArray(merged)) return undefined;
  return orderElements(merged, wanted, Array.isArray(present) ? present : [], keyOf);
}

function isSubsequence(part: readonly unknown[], whole: readonly unknown[]): boolean {
  let found = 0;
  for (const each of whole) if (found < part.length && part[found] === each) found += 1;
  return found === part.length;
}

/** The original without what `$retainKeys` does not name. */
function retainKeys(original: Fields, patch: Fields, path: string): Fields {
  const named = patch[retainKeysDirective];
  if (named === undefined) return original;
  const at = childPath(path, retainKeysDirective);
  const kept = new Set(listAt(at, named));
  for (const [key, value] of Object.entries(patch)) {
    if (value === null || isDirective(key) || kept.has(key)) continue;
    throw new StrategicMergeError(at, `does not name ${key}, which the patch sets`);
  }
  return Object.fromEntries(Object.entries(original).filter(([key]) => kept.has(key)));
}

function keyAt(at: string, element: unknown, mergeKey: string, where = at): unknown {
  const key = fieldsAt(where, element)[mergeKey];
  if (key !== undefined) return key;
  throw new StrategicMergeError(
    where,
    `has no ${mergeKey}, by which the elements of this list are distinguished`,
  );
}

function unknownDirective(path: string, directive: unknown): StrategicMergeError {
  const at = childPath(path, patchDirective);
  return new StrategicMergeError(at, `${JSON.stringify(directive)} is neither "replace" nor "delete"`);
}

function withPrefix(patch: Fields, prefix: string): readonly (readonly [string, unknown])[] {
  return Object.entries(patch).filter(([key]) => key.startsWith(prefix));
}
