import { hash } from 'node:crypto';

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
  const digest = hash('sha256', canonicalJson(value), 'hex');
  let rest = BigInt(`0x${digest}`);
  let text = '';
  for (; text.length < length; rest /= chunkBase) {
    let chunk = Number(rest % chunkBase);
    for (let digit = 0; digit < digitsOfChunk && text.length < length; digit += 1) {
      text += alphabet.charAt(chunk % alphabet.length);
      chunk = Math.floor(chunk / alphabet.length);
    }
  }
  return text;
}

/** As many digits as a number holds exactly: it is several times faster than a BigInt. */
const digitsOfChunk = 10;
const chunkBase = BigInt(alphabet.length) ** BigInt(digitsOfChunk);

/** The canonical JSON of a value, made once: within other values it stands for the value itself. */
export class CanonicalText {
  readonly text: string;

  constructor(value: unknown) {
    this.text = canonicalJson(value);
  }
}

/**
 * JSON with sorted keys and without space: equal values have equal text. What JSON cannot hold (functions, NaN)
 * throws a TypeError with its place rather than becoming null.
 */
export function canonicalJson(value: unknown): string {
  // Most values are good, so the place of a bad one is looked for only then.
  return write(value) ?? fail(value, '$');
}

/** undefined: something in it is no JSON value. */
function write(value: unknown): string | undefined {
  if (typeof value === 'string') return JSON.stringify(value);
  if (value === null || typeof value === 'boolean') return String(value);
  // -0 is written as 0.
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : undefined;
  if (Array.isArray(value)) return writeArray(value);
  if (value instanceof CanonicalText) return value.text;
  return typeof value === 'object' ? writeObject(value) : undefined;
}

function writeArray(values: readonly unknown[]): string | undefined {
  let text = '[';
  for (const value of values) {
    const element = write(value);
    if (element === undefined) return undefined;
    text += text === '[' ? element : `,${element}`;
  }
  return `${text}]`;
}

function writeObject(value: object): string | undefined {
  const fields = value as Readonly<Record<string, unknown>>;
  let text = '{';
  for (const name of sortedKeys(fields)) {
    if (fields[name] === undefined) continue;
    const field = write(fields[name]);
    if (field === undefined) return undefined;
    text += `${text === '{' ? '' : ','}${JSON.stringify(name)}:${field}`;
  }
  return `${text}}`;
}

/** Most objects have few keys, or have them in order: sorting in place by insertion needs no memory then. */
function sortedKeys(fields: object): readonly string[] {
  const names = Object.keys(fields);
  if (names.length > 32) return names.sort();
  for (let at = 1; at < names.length; at += 1) {
    const name = names[at] as string;
    let place = at;
    for (; place > 0 && (names[place - 1] as string) > name; place -= 1)
      names[place] = names[place - 1] as string;
    names[place] = name;
  }
  return names;
}

/** Throws with the place of the first value that is not JSON's. */
function fail(value: unknown, path: string): never {
  if (Array.isArray(value)) {
    for (const [index, each] of value.entries())
      if (write(each) === undefined) fail(each, `${path}[${index}]`);
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, each] of Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))) {
      if (each !== undefined && write(each) === undefined) fail(each, `${path}.${name}`);
    }
  }
  const what = typeof value === 'number' ? `${value}` : `a value of type ${typeof value}`;
  throw new TypeError(`${path}: ${what} is no JSON value`);
}
