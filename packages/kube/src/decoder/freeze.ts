/**
 * Remembers strings that were seen lately, so that equal ones are one string in memory. Bounded: each
 * string has one place, and a newcomer takes it.
 */
export class StringPool {
  readonly #places: string[];
  readonly #mask: number;

  constructor(bits = 13) {
    this.#places = Array.from({ length: 1 << bits }, () => '');
    this.#mask = (1 << bits) - 1;
  }

  share(text: string): string {
    const length = text.length;
    // V8 keeps strings of up to 10 characters once when it parses JSON; long ones rarely repeat.
    if (length <= 10 || length > 128) return text;
    let hash = length;
    const step = length > 48 ? 3 : 1;
    for (let i = length - 1; i >= 0; i -= step) hash = (Math.imul(hash, 31) + text.charCodeAt(i)) | 0;
    const place = (hash ^ (hash >>> 13)) & this.#mask;
    const known = this.#places[place];
    if (known === text) return known;
    this.#places[place] = text;
    return text;
  }
}

/**
 * Freezes a JSON value with all below it, in place; with a pool, equal strings become one. What is as it was in
 * `known`, a frozen earlier version of the same value, is taken from there, the whole value included: most changes of
 * an object are of its status, so most of it is garbage at once instead of when the collector has moved it to the old
 * objects, and a comparison of two versions finds what is the same without looking inside. Below {@link sharedLevels}
 * nothing is shared.
 */
export function deepFreeze<V>(value: V, pool?: StringPool, known?: V): V {
  return frozen(value, pool, known, 1) as V;
}

/**
 * Objects of people have some twenty levels, and the API server takes nearly ten thousand, more than calls fit on the
 * stack. What lies below this many is frozen without recursion.
 */
const sharedLevels = 100;

function frozen(value: unknown, pool: StringPool | undefined, known: unknown, level: number): unknown {
  if (value === known || value === null || typeof value !== 'object') return value;
  if (level > sharedLevels) return frozenWhole(value);
  return Array.isArray(value)
    ? frozenList(value, pool, Array.isArray(known) ? known : undefined, level)
    : frozenRecord(value as JsonObject, pool, isRecord(known) ? known : undefined, level);
}

function frozenWhole(root: object): object {
  const open = [root];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    for (const below of Object.values(value) as unknown[])
      if (typeof below === 'object' && below !== null) open.push(below);
    Object.freeze(value);
  }
  return root;
}

type JsonObject = Record<string, unknown>;

function frozenRecord(
  record: JsonObject,
  pool: StringPool | undefined,
  known: Readonly<JsonObject> | undefined,
  level: number,
): unknown {
  let same = known !== undefined;
  let fields = 0;
  for (const name in record) {
    fields++;
    const below = record[name];
    // A field of this name is data; of an object without one it would be the prototype.
    const isThere = known !== undefined && (name !== '__proto__' || Object.hasOwn(known, name));
    const before = isThere ? known[name] : undefined;
    if (typeof below === 'object') {
      const now = frozen(below, pool, before, level + 1);
      if (now !== below) record[name] = now;
      if (now !== before) same = false;
    } else if (below !== before) {
      same = false;
      if (typeof below === 'string' && pool !== undefined && below.length > 10)
        record[name] = pool.share(below);
    } else if (typeof below === 'string' && below.length > 10) {
      record[name] = before;
    }
  }
  return same && known !== undefined && countFields(known) === fields ? known : Object.freeze(record);
}

function frozenList(
  list: unknown[],
  pool: StringPool | undefined,
  known: readonly unknown[] | undefined,
  level: number,
): unknown {
  let same = known?.length === list.length;
  for (let i = 0; i < list.length; i++) {
    const element = list[i];
    const before = known?.[i];
    if (typeof element === 'object') {
      const now = frozen(element, pool, before, level + 1);
      if (now !== element) list[i] = now;
      if (now !== before) same = false;
    } else if (element !== before) {
      same = false;
      if (typeof element === 'string' && pool !== undefined) list[i] = pool.share(element);
    }
  }
  return same ? known : Object.freeze(list);
}

function countFields(record: Readonly<JsonObject>): number {
  let fields = 0;
  for (const _ in record) fields++;
  return fields;
}

function isRecord(value: unknown): value is Readonly<JsonObject> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
