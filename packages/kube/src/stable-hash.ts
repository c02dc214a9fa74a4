import { createHash } from 'node:crypto';

/**
 * The characters that Kubernetes uses for generated name parts: no vowels and no 0, 1 and 3, so that no words and
 * no look-alikes come about. Source: `k8s.io/apimachinery/pkg/util/rand`.
 */
const alphabet = 'bcdfghjklmnpqrstvwxz2456789';

/**
 * A hash of a JSON value that does not depend on the order of object keys: `length` characters that may stand in
 * names and label values (about 4.75 bits each). Absent and undefined fields are the same; null is a value.
 */
export function stableHash(value: unknown, length = 10): string {
  const digest = createHash('sha256').update(canonicalJson(value)).digest('hex');
  const base = BigInt(alphabet.length);
  let rest = BigInt(`0x${digest}`);
  let text = '';
  while (text.length < length) {
    text += alphabet.charAt(Number(rest % base));
    rest /= base;
  }
  return text;
}

/**
 * JSON with sorted keys and without space: equal values have equal text. What JSON cannot hold (functions, NaN)
 * throws a TypeError with its place rather than becoming null.
 */
export function canonicalJson(value: unknown): string {
  return write(value, '$');
}

function write(value: unknown, path: string): string {
  if (Array.isArray(value)) return writeArray(value, path);
  if (typeof value === 'object' && value !== null) return writeObject(value, path);
  if (value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value)) {
    return JSON.stringify(value);
  }
  const what = typeof value === 'number' ? `${value}` : `a value of type ${typeof value}`;
  throw new TypeError(`${path}: ${what} is no JSON value`);
}

function writeArray(values: readonly unknown[], path: string): string {
  return `[${values.map((value, index) => write(value, `${path}[${index}]`)).join(',')}]`;
}

function writeObject(value: object, path: string): string {
  const fields = Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, field]) => `${JSON.stringify(key)}:${write(field, `${path}.${key}`)}`);
  return `{${fields.join(',')}}`;
}
