/** Equal as JSON: key order does not matter, and a key that is undefined is a key that is absent. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    return a.every((item, index) => sameJson(item, b[index]));
  }
  const left = a as Readonly<Record<string, unknown>>;
  const right = b as Readonly<Record<string, unknown>>;
  // Asked of nearly every event: lists of keys would be garbage at once. Values of JSON inherit nothing.
  for (const key in left) if (!sameJson(left[key], right[key])) return false;
  for (const key in right) if (right[key] !== undefined && left[key] === undefined) return false;
  return true;
}

/**
 * Everything in `wanted` is so in `actual`, which may hold more (defaults, other managers' fields). Lists must have
 * the same length; null in `wanted` means absent, as in a merge patch.
 */
export function contains(actual: unknown, wanted: unknown): boolean {
  if (wanted === undefined) return true;
  if (wanted === null) return actual === undefined || actual === null;
  if (typeof wanted !== 'object') return actual === wanted;
  if (typeof actual !== 'object' || actual === null) return false;
  if (Array.isArray(wanted)) {
    if (!Array.isArray(actual) || actual.length !== wanted.length) return false;
    return wanted.every((item, index) => contains(actual[index], item));
  }
  const held = actual as Readonly<Record<string, unknown>>;
  return Object.entries(wanted).every(([key, value]) => contains(held[key], value));
}
