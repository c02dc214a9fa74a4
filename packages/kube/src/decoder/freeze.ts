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

/** Freezes a JSON value with all below it, in place; with a pool, equal strings become one. */
export function deepFreeze<V>(value: V, pool?: StringPool): V {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) {
    const list: unknown[] = value;
    for (let i = 0; i < list.length; i++) {
      const element = list[i];
      if (typeof element === 'object') deepFreeze(element, pool);
      else if (typeof element === 'string' && pool !== undefined) list[i] = pool.share(element);
    }
  } else {
    const record = value as Record<string, unknown>;
    for (const name in record) {
      const below = record[name];
      if (typeof below === 'object') deepFreeze(below, pool);
      else if (typeof below === 'string' && pool !== undefined && below.length > 10)
        record[name] = pool.share(below);
    }
  }
  return Object.freeze(value);
}
