import { canonicalJson, ownField } from '@atoll/kube';

/** Equal as JSON: key order does not matter, and a key that is undefined is a key that is absent. */
export function sameJson(a: unknown, b: unknown): boolean {
  return sameBelow(a, b, 1);
}

/** Far more than objects of people have; calls for what the API server takes would not fit on the stack. */
const comparedLevels = 100;

function sameBelow(a: unknown, b: unknown, level: number): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (level > comparedLevels) return canonicalJson(a) === canonicalJson(b);
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    return a.every((item, index) => sameBelow(item, b[index], level + 1));
  }
  const left = a as Readonly<Record<string, unknown>>;
  const right = b as Readonly<Record<string, unknown>>;
  // Asked of nearly every event: lists of keys would be garbage at once. Values of JSON inherit nothing.
  for (const key in left) {
    if (!sameBelow(left[key], ownField(right, key), level + 1)) return false;
  }
  for (const key in right) {
    if (right[key] !== undefined && (left[key] === undefined || !Object.hasOwn(left, key))) return false;
  }
  return true;
}

/**
 * Everything in `wanted` is so in `actual`, which may hold more (defaults, other managers' fields). Lists must have
 * the same length; null in `wanted` means absent, as in a merge patch.
 */
export function contains(actual: unknown, wanted: unknown): boolean {
  const open: (readonly [unknown, unknown])[] = [[actual, wanted]];
  for (let pair = open.pop(); pair !== undefined; pair = open.pop()) {
    const [held, asked] = pair;
    if (asked === undefined) continue;
    if (asked === null) {
      if (held !== undefined && held !== null) return false;
    } else if (typeof asked !== 'object') {
      if (held !== asked) return false;
    } else if (typeof held !== 'object' || held === null) {
      return false;
    } else if (Array.isArray(asked)) {
      if (!Array.isArray(held) || held.length !== asked.length) return false;
      for (const [index, item] of asked.entries()) open.push([held[index], item]);
    } else {
      const fields = held as Readonly<Record<string, unknown>>;
      for (const [key, value] of Object.entries(asked)) open.push([fields[key], value]);
    }
  }
  return true;
}
