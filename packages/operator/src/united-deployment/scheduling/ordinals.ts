/** Which ordinals the pods of a StatefulSet have. */
interface Ordinals {
  readonly ordinals?: { readonly start?: number };
  /** Of an Advanced StatefulSet: numbers, and ranges as `3-5`, that no pod has. */
  readonly reserveOrdinals?: readonly (number | string)[];
}

/** How many pods a StatefulSet has that ends with this ordinal. */
export function podsUpTo(last: number, { ordinals, reserveOrdinals = [] }: Ordinals): number {
  const start = ordinals?.start ?? 0;
  // A number that stands in several ranges is left out once.
  let leftOut = 0;
  let next = start;
  for (const [from, to] of reserveOrdinals.map(rangeOf).toSorted(([a], [b]) => a - b)) {
    leftOut += Math.max(0, Math.min(to, last) - Math.max(from, next) + 1);
    next = Math.max(next, to + 1);
  }
  return Math.max(0, last - start + 1 - leftOut);
}

function rangeOf(each: number | string): readonly [number, number] {
  const [, from, to = from] = /^(\d+)(?:-(\d+))?$/.exec(String(each)) ?? [];
  return from === undefined ? [0, -1] : [Number(from), Number(to)];
}
