import { isFields, type Fields } from '../values/fields.ts';
import { ownField } from '../values/own-field.ts';
import { canonicalJson } from '../values/stable-hash.ts';
import type { JsonPatchOperation } from '../client/client.ts';

/**
 * The JSON patch (RFC 6902) that makes `after` of `before`. Fields are added, replaced and removed one by one; a list
 * that differs is replaced as a whole. A field that is undefined is absent.
 */
export function jsonPatchBetween(before: object, after: object): readonly JsonPatchOperation[] {
  return between({ ...before }, { ...after }, '');
}

function between(before: Fields, after: Fields, path: string): readonly JsonPatchOperation[] {
  const operations: JsonPatchOperation[] = [];
  for (const [key, old] of Object.entries(before)) {
    if (old !== undefined && ownField(after, key) === undefined) {
      operations.push({ op: 'remove', path: `${path}/${escape(key)}` });
    }
  }
  for (const [key, value] of Object.entries(after)) {
    const [old, at] = [ownField(before, key), `${path}/${escape(key)}`];
    // A changed object shares its unchanged values with the old one, so large values are not compared.
    if (value === undefined || value === old) continue;
    if (old === undefined) operations.push({ op: 'add', path: at, value });
    else if (isFields(old) && isFields(value)) operations.push(...between(old, value, at));
    else if (canonicalJson(old) !== canonicalJson(value)) operations.push({ op: 'replace', path: at, value });
  }
  return operations;
}

/** RFC 6901. */
function escape(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}
