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
 * throws a TypeError with its place rather than becoming null. Of any depth: nothing here calls itself.
 */
export function canonicalJson(value: unknown): string {
  const open: Container[] = [];
  let container = containerOf(value);
  if (container === undefined) return scalarText(value) ?? fail(value, open);
  open.push(container);
  let text = container.names === undefined ? '[' : '{';
  for (;;) {
    const { names, values, length } = container;
    if (container.at === length) {
      text += names === undefined ? ']' : '}';
      open.pop();
      container = open[open.length - 1];
      if (container === undefined) return text;
      continue;
    }
    if (container.at > 0) text += ',';
    const place: string | number = names === undefined ? container.at : (names[container.at] as string);
    if (typeof place === 'string') text += labelOf(place);
    const next = values[place];
    container.at += 1;
    const inner = containerOf(next);
    if (inner === undefined) {
      text += scalarText(next) ?? fail(next, open);
    } else {
      text += inner.names === undefined ? '[' : '{';
      open.push(inner);
      container = inner;
    }
  }
}

/** Fields have few different names, and to look one up is three times faster than to quote it. Bounded: keys may be data. */
const labels = new Map<string, string>();
const mostLabels = 4096;

function labelOf(name: string): string {
  const known = labels.get(name);
  if (known !== undefined) return known;
  const label = `${JSON.stringify(name)}:`;
  if (name.length <= 64 && labels.size < mostLabels) labels.set(name, label);
  return label;
}

/** An object or a list that is being written. */
interface Container {
  readonly values: Readonly<Record<string | number, unknown>>;
  /** Of an object, those of its fields that are set, in order. */
  readonly names: readonly string[] | undefined;
  readonly length: number;
  /** How many of its values have been written, or are being written. */
  at: number;
}

/** undefined: the value is none. */
function containerOf(value: unknown): Container | undefined {
  if (typeof value !== 'object' || value === null || value instanceof CanonicalText) return undefined;
  const values = value as Readonly<Record<string | number, unknown>>;
  if (Array.isArray(value)) return { values, names: undefined, length: value.length, at: 0 };
  const names = sortedNames(values);
  return { values, names, length: names.length, at: 0 };
}

/** undefined: no JSON value. */
function scalarText(value: unknown): string | undefined {
  if (typeof value === 'string') return JSON.stringify(value);
  if (value === null || typeof value === 'boolean') return String(value);
  // -0 is written as 0.
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : undefined;
  return value instanceof CanonicalText ? value.text : undefined;
}

/** Most objects have few keys, or have them in order: sorting in place by insertion needs no memory then. */
function sortedNames(fields: Readonly<Record<string, unknown>>): readonly string[] {
  const names = Object.keys(fields);
  if (names.length > 32) return names.filter((name) => fields[name] !== undefined).sort();
  let kept = 0;
  for (const name of names) {
    if (fields[name] === undefined) continue;
    let place = kept;
    for (; place > 0 && (names[place - 1] as string) > name; place -= 1)
      names[place] = names[place - 1] as string;
    names[place] = name;
    kept += 1;
  }
  names.length = kept;
  return names;
}

function fail(value: unknown, open: readonly Container[]): never {
  const path = open.map(({ names, at }) => (names === undefined ? `[${at - 1}]` : `.${names[at - 1]}`));
  const what = typeof value === 'number' ? `${value}` : `a value of type ${typeof value}`;
  throw new TypeError(`$${path.join('')}: ${what} is no JSON value`);
}
