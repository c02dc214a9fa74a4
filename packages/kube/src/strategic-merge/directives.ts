import { isFields, type Fields } from '../values/fields.ts';
import { setField } from '../values/set-field.ts';
import { walkLater, type Later } from '../values/walk-later.ts';
import { StrategicMergeError } from './strategic-merge-error.ts';

export const patchDirective = '$patch';
export const retainKeysDirective = '$retainKeys';
export const orderPrefix = '$setElementOrder/';
export const deletePrefix = '$deleteFromPrimitiveList/';

export function isDirective(key: string): boolean {
  return (
    key === patchDirective ||
    key === retainKeysDirective ||
    key.startsWith(orderPrefix) ||
    key.startsWith(deletePrefix)
  );
}

export function hasPatchDirective(value: unknown): boolean {
  return isFields(value) && Object.hasOwn(value, patchDirective);
}

/** The list, or an error that names what stands there instead. */
export function listAt(path: string, value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value as readonly unknown[];
  throw new StrategicMergeError(path, `must be a list, and is ${typeName(value)}`);
}

export function fieldsAt(path: string, value: unknown): Fields {
  if (isFields(value)) return value;
  throw new StrategicMergeError(path, `must be an object, and is ${typeName(value)}`);
}

export function childPath(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`;
}

/**
 * What a patch adds where there was nothing: itself without nulls, which have nothing to delete, and without directives,
 * which have nothing to direct. undefined where it is a directive as a whole, as `{$patch: delete}` is. An API server takes
 * nothing of an object with `$patch` there.
 */
export function addition(value: unknown): unknown {
  return walkLater((later) => add(value, later, hasPatchDirective));
}

/** The same of content that takes the place of other content. There an API server takes what stands beside a `$patch`, too. */
export function replacement(value: unknown): unknown {
  return walkLater((later) => add(value, later, isDeletion));
}

/** The object without nulls and directives, its own and those below, as {@link replacement} has them. */
export function withoutDirectives(fields: Fields): Fields {
  return walkLater((later) => addFields(fields, later, isDeletion));
}

type LeavesOut = (value: unknown) => boolean;

const isDeletion: LeavesOut = (value) =>
  hasPatchDirective(value) && (value as Fields)[patchDirective] === 'delete';

function add(value: unknown, later: Later, leaves: LeavesOut): unknown {
  if (Array.isArray(value)) {
    const added: unknown[] = [];
    later(() => {
      for (const each of value) {
        if (isOnlyDirective(each)) continue;
        const element = add(each, later, leaves);
        if (element !== undefined) added.push(element);
      }
    });
    return added;
  }
  if (!isFields(value)) return value;
  return leaves(value) ? undefined : addFields(value, later, leaves);
}

function isOnlyDirective(element: unknown): boolean {
  return hasPatchDirective(element) && Object.keys(element as Fields).length === 1;
}

function addFields(fields: Fields, later: Later, leaves: LeavesOut): Fields {
  const added: Record<string, unknown> = {};
  later(() => {
    for (const [key, value] of Object.entries(fields)) {
      const field = isDirective(key) || value === null ? undefined : add(value, later, leaves);
      if (field !== undefined) setField(added, key, field);
    }
  });
  return added;
}

function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
