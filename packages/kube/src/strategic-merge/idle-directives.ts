import { isFields, type Fields } from '../values/fields.ts';
import { ownField } from '../values/own-field.ts';
import { childPath, hasPatchDirective, isDirective, patchDirective } from './directives.ts';
import { fieldOfSchema } from './field-of-schema.ts';
import type { PatchField, PatchSchema } from './patch-schema.ts';

/** A `$patch` of a patch that finds nothing to act on. */
export interface IdleDirective {
  /** Of the object that it stands in, as in `spec.containers[1].securityContext`. */
  readonly path: string;
  readonly directive: unknown;
  /** What stands beside it is dropped with it: an API server takes nothing of an object with a directive where there was none. */
  readonly drops: boolean;
}

/**
 * The `$patch` directives that do nothing in a merge which succeeds, in the order of the patch: `delete` where nothing is,
 * and `replace` where nothing is, with which the new content goes too. A list whose only directive is to replace it by the patch
 * is what the patch wants, also where there was none; so is a `replace` in content that takes the place of other content.
 */
export function idleDirectives(
  original: unknown,
  patch: unknown,
  schema: PatchSchema,
): readonly IdleDirective[] {
  if (!isFields(patch)) return [];
  const idle: IdleDirective[] = [];
  const open = inObject(isFields(original) ? original : {}, patch, schema, '').toReversed();
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    const { present, value, schema: below, path, replaces } = place;
    const directive = value[patchDirective];
    if (isFields(present) || !hasPatchDirective(value) || (replaces && directive !== 'delete')) {
      open.push(...inObject(isFields(present) ? present : {}, value, below, path, replaces).toReversed());
    } else {
      idle.push({ path, directive, drops: directive !== 'delete' });
    }
  }
  return idle;
}

/** An object of the patch, and what it is to be merged into. */
interface Place {
  readonly present: unknown;
  readonly value: Fields;
  readonly schema: PatchSchema;
  readonly path: string;
  /** It is in content that takes the place of other content as a whole, or in a new element of a list that is merged. */
  readonly replaces: boolean;
}

/** The objects that are the fields of an object, or elements of its lists. */
function inObject(
  original: Fields,
  patch: Fields,
  schema: PatchSchema,
  path: string,
  isReplacement = false,
): readonly Place[] {
  const replaces = isReplacement || hasPatchDirective(patch);
  return Object.entries(patch).flatMap(([key, value]) => {
    if (isDirective(key)) return [];
    const at = childPath(path, key);
    const present = replaces ? undefined : ownField(original, key);
    return inField(present, value, fieldOfSchema(schema, key), at, replaces);
  });
}

function inField(
  present: unknown,
  value: unknown,
  field: PatchField | undefined,
  path: string,
  replaces: boolean,
): readonly Place[] {
  if (Array.isArray(value)) {
    const mergeKey = field?.type === 'list' ? field.mergeKey : '';
    const isReplaced = value.some((each) => isFields(each) && isOfWholeList(each, mergeKey));
    const merged =
      field?.type === 'list' && Array.isArray(present) && !isReplaced ? (present as readonly unknown[]) : [];
    return value.flatMap((each: unknown, index): readonly Place[] => {
      const at = `${path}[${index}]`;
      if (!isFields(each) || isOfWholeList(each, mergeKey)) return [];
      const found = merged.find((element) => isFields(element) && element[mergeKey] === each[mergeKey]);
      const isNew = found === undefined && Array.isArray(present) && !hasPatchDirective(each);
      const below = field?.type === 'list' ? field.element : {};
      return [{ present: found, value: each, schema: below, path: at, replaces: replaces || isNew }];
    });
  }
  if (!isFields(value)) return [];
  return [{ present, value, schema: field?.type === 'object' ? field.schema : {}, path, replaces }];
}

function isOfWholeList(element: Fields, mergeKey: string): boolean {
  return element[patchDirective] === 'replace' && element[mergeKey] === undefined;
}
