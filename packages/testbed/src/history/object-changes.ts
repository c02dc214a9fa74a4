/** One field that differs; undefined where the field is absent. */
export interface Change {
  /** `spec.replicas`, `metadata.labels["a/b"]`, `spec.containers[0].image`. */
  readonly path: string;
  readonly from: unknown;
  readonly to: unknown;
}

/** Changes with every write and says nothing. */
const bookkeeping = new Set(['metadata.resourceVersion', 'metadata.managedFields', 'metadata.generation']);

/** The fields that differ between two versions of an object, in the order of the object. */
export function objectChanges(from: unknown, to: unknown): readonly Change[] {
  const changes: Change[] = [];
  compare('', from, to, changes);
  return changes;
}

function compare(path: string, from: unknown, to: unknown, changes: Change[]): void {
  if (from === to || bookkeeping.has(path)) return;
  if (isRecord(from) && isRecord(to)) {
    for (const key of new Set([...Object.keys(from), ...Object.keys(to)])) {
      compare(fieldPath(path, key), from[key], to[key], changes);
    }
    return;
  }
  if (Array.isArray(from) && Array.isArray(to)) {
    for (let index = 0; index < Math.max(from.length, to.length); index += 1) {
      compare(`${path}[${index}]`, from[index], to[index], changes);
    }
    return;
  }
  changes.push({ path, from, to });
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function fieldPath(path: string, key: string): string {
  if (!/^[A-Za-z_][\w-]*$/.test(key)) return `${path}["${key}"]`;
  return path === '' ? key : `${path}.${key}`;
}
