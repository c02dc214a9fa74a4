import type { JsonPatchOperation } from '@atoll/kube';
import { isJsonObject } from './json.ts';
import type { Json, JsonObject } from './json.ts';

/** RFC 7386. */
export function mergePatch(target: Json | undefined, patch: Json): Json {
  if (!isJsonObject(patch)) return patch;
  const result: Record<string, Json | undefined> = isJsonObject(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null || value === undefined) delete result[key];
    else result[key] = mergePatch(result[key], value);
  }
  return result;
}

/** Lists that Kubernetes merges by a key; all others are replaced as a whole. */
const listKeys: Readonly<Record<string, string>> = {
  containers: 'name',
  initContainers: 'name',
  env: 'name',
  volumes: 'name',
  volumeMounts: 'mountPath',
  conditions: 'type',
  ownerReferences: 'uid',
  imagePullSecrets: 'name',
};
/** Lists of words that are merged as sets. */
const setLists: ReadonlySet<string> = new Set(['finalizers']);
/** Lists of core/v1 that are keyed for strategic merge; `taints` by key alone, as upstream has it. */
const strategicKeys: Readonly<Record<string, string>> = { ...listKeys, taints: 'key' };

/** Strategic merge patch, as far as controllers use it: keyed lists, `$patch: delete | replace`, null removes. */
export function strategicPatch(target: Json | undefined, patch: Json, field = ''): Json {
  if (Array.isArray(patch)) return strategicList(target, patch, field);
  if (!isJsonObject(patch)) return patch;
  if (patch['$patch'] === 'replace') {
    const { $patch: _, ...rest } = patch;
    return rest;
  }
  const result: Record<string, Json | undefined> = isJsonObject(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (key.startsWith('$')) continue;
    if (value === null || value === undefined) delete result[key];
    else result[key] = strategicPatch(result[key], value, key);
  }
  return result;
}

function strategicList(target: Json | undefined, patch: readonly Json[], field: string): Json {
  const key = strategicKeys[field];
  const items = Array.isArray(target) ? [...target] : [];
  if (setLists.has(field)) return [...new Set([...items, ...patch])];
  if (key === undefined) return patch;
  if (patch.some((item) => isJsonObject(item) && item['$patch'] === 'replace')) {
    return patch.filter((item) => !(isJsonObject(item) && item['$patch'] === 'replace'));
  }
  for (const item of patch) {
    if (!isJsonObject(item)) continue;
    const at = items.findIndex((held) => isJsonObject(held) && held[key] === item[key]);
    if (item['$patch'] === 'delete') {
      if (at !== -1) items.splice(at, 1);
    } else if (at === -1) items.push(item);
    else items[at] = strategicPatch(items[at], item);
  }
  return items;
}

/** RFC 6902 without move and copy. Yields what is wrong where the patch does not fit. */
export function jsonPatch(
  target: Json,
  operations: readonly JsonPatchOperation[],
): { readonly value: Json } | { readonly error: string } {
  let value = target;
  for (const operation of operations) {
    const path = operation.path
      .split('/')
      .slice(1)
      .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
    const next = change(value, path, operation);
    if (next === undefined) {
      const what =
        operation.op === 'test'
          ? `testing value ${operation.path} failed`
          : `${operation.op} ${operation.path}`;
      return { error: what };
    }
    value = next;
  }
  return { value };
}

function change(at: Json, path: readonly string[], operation: JsonPatchOperation): Json | undefined {
  const [head, ...rest] = path;
  if (head === undefined) return operation.op === 'test' ? undefined : (operation.value as Json);
  if (Array.isArray(at)) return changeList(at, head, rest, operation);
  if (!isJsonObject(at)) return undefined;
  const held = at[head];
  if (rest.length > 0) {
    const inner = held === undefined ? undefined : change(held, rest, operation);
    return inner === undefined ? undefined : { ...at, [head]: inner };
  }
  switch (operation.op) {
    case 'add':
      return { ...at, [head]: operation.value as Json };
    case 'replace':
      return held === undefined ? undefined : { ...at, [head]: operation.value as Json };
    case 'remove': {
      if (held === undefined) return undefined;
      const { [head]: _, ...others } = at;
      return others;
    }
    case 'test':
      return JSON.stringify(held) === JSON.stringify(operation.value) ? at : undefined;
    case 'move':
    case 'copy':
      return undefined;
  }
}

function changeList(
  at: readonly Json[],
  head: string,
  rest: readonly string[],
  operation: JsonPatchOperation,
): Json | undefined {
  const index = head === '-' ? at.length : Number(head);
  const held = at[index];
  if (rest.length > 0) {
    const inner = held === undefined ? undefined : change(held, rest, operation);
    return inner === undefined ? undefined : at.with(index, inner);
  }
  if (operation.op === 'add')
    return index > at.length ? undefined : at.toSpliced(index, 0, operation.value as Json);
  if (held === undefined) return undefined;
  if (operation.op === 'remove') return at.toSpliced(index, 1);
  if (operation.op === 'replace') return at.with(index, operation.value as Json);
  return JSON.stringify(held) === JSON.stringify(operation.value) ? at : undefined;
}

/**
 * Server-side apply: what is applied is set, what the same manager applied before and no longer does is removed,
 * all else stays.
 */
export function applyFields(
  held: Json | undefined,
  before: Json | undefined,
  applied: Json,
  field = '',
): Json {
  if (Array.isArray(applied)) return applyList(held, before, applied, field);
  if (!isJsonObject(applied)) return applied;
  const result: Record<string, Json | undefined> = isJsonObject(held) ? { ...held } : {};
  const owned = isJsonObject(before) ? before : {};
  for (const key of Object.keys(owned)) {
    if (applied[key] === undefined) {
      const left = withoutOwned(result[key], owned[key], key);
      if (left === undefined) delete result[key];
      else result[key] = left;
    }
  }
  for (const [key, value] of Object.entries(applied)) {
    if (value !== undefined) result[key] = applyFields(result[key], owned[key], value, key);
  }
  return result;
}

function applyList(
  held: Json | undefined,
  before: Json | undefined,
  applied: readonly Json[],
  field: string,
): Json {
  const key = listKeys[field];
  const items = Array.isArray(held) ? [...held] : [];
  const owned = Array.isArray(before) ? before : [];
  if (setLists.has(field)) {
    return [...new Set([...items.filter((item) => !owned.includes(item)), ...applied])];
  }
  if (key === undefined) return applied;
  const find = (list: readonly Json[], item: JsonObject): Json | undefined =>
    list.find((other) => isJsonObject(other) && other[key] === item[key]);
  const kept = items.filter(
    (item) => !isJsonObject(item) || find(owned, item) === undefined || find(applied, item) !== undefined,
  );
  for (const item of applied) {
    if (!isJsonObject(item)) continue;
    const at = kept.findIndex((other) => isJsonObject(other) && other[key] === item[key]);
    if (at === -1) kept.push(item);
    else kept[at] = applyFields(kept[at], find(owned, item), item);
  }
  return kept;
}

/** What is left of a field whose manager applies it no longer: only what others set inside. */
function withoutOwned(held: Json | undefined, owned: Json | undefined, field: string): Json | undefined {
  if (isJsonObject(held) && isJsonObject(owned)) {
    const left = applyFields(held, owned, {});
    return isJsonObject(left) && Object.keys(left).length > 0 ? left : undefined;
  }
  if (Array.isArray(held) && Array.isArray(owned) && (listKeys[field] !== undefined || setLists.has(field))) {
    const left = applyList(held, owned, [], field);
    return Array.isArray(left) && left.length > 0 ? left : undefined;
  }
  return undefined;
}
