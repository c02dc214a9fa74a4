import { isFields } from '@atoll/kube';
/** One field that differs; undefined where the field is absent. */
export interface Change {
  /** `spec.replicas`, `metadata.labels["a/b"]`, `status.conditions[Ready].status`, `spec.args[0]`. */
  readonly path: string;
  readonly from: unknown;
  readonly to: unknown;
}

/** Changes with every write and has no meaning. */
const bookkeeping = new Set(['metadata.resourceVersion', 'metadata.managedFields', 'metadata.generation']);

/** The fields that differ between two versions of an object, in the order of the object. */
export function objectChanges(from: unknown, to: unknown): readonly Change[] {
  const changes: Change[] = [];
  compare('', from, to, changes);
  return changes;
}

function compare(path: string, from: unknown, to: unknown, changes: Change[]): void {
  if (from === to || bookkeeping.has(path)) return;
  if (isFields(from) && isFields(to)) {
    for (const key of new Set([...Object.keys(from), ...Object.keys(to)])) {
      compare(fieldPath(path, key), from[key], to[key], changes);
    }
    return;
  }
  if (Array.isArray(from) && Array.isArray(to)) {
    const key = listKey([...from, ...to]);
    if (key !== undefined) return compareByKey(path, key, from, to, changes);
    for (let index = 0; index < Math.max(from.length, to.length); index += 1) {
      compare(`${path}[${index}]`, from[index], to[index], changes);
    }
    return;
  }
  changes.push({ path, from, to });
}

/** Lists of named things (conditions, containers, taints) are distinguished by name, not by place. */
function listKey(items: readonly unknown[]): string | undefined {
  if (items.length === 0 || !items.every(isFields)) return undefined;
  return ['type', 'name', 'key'].find((key) => items.every((item) => typeof item[key] === 'string'));
}

function compareByKey(
  path: string,
  key: string,
  from: readonly Record<string, unknown>[],
  to: readonly Record<string, unknown>[],
  changes: Change[],
): void {
  const old = new Map(from.map((item) => [item[key], item]));
  const now = new Map(to.map((item) => [item[key], item]));
  for (const name of new Set([...old.keys(), ...now.keys()])) {
    compare(`${path}[${String(name)}]`, old.get(name), now.get(name), changes);
  }
}

function fieldPath(path: string, key: string): string {
  if (!/^[A-Za-z_][\w-]*$/.test(key)) return `${path}["${key}"]`;
  return path === '' ? key : `${path}.${key}`;
}
