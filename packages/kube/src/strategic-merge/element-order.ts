/** What identifies elements of a list: the value of the merge key, or of a primitive itself. */
export type KeyOf = (element: unknown) => unknown;

/**
 * The order of a merged list: elements that the patch names as the patch (or its `$setElementOrder`) orders them, the
 * others as they were, and both sorts against each other as they were where that is known, else the patch's first.
 * Source: `preserve-order-in-strategic-merge-patch` of Kubernetes' design proposals.
 */
export function orderElements(
  merged: readonly unknown[],
  wanted: readonly unknown[],
  before: readonly unknown[],
  keyOf: KeyOf,
): readonly unknown[] {
  const wantedAt = positions(wanted, keyOf);
  const beforeAt = positions(before, keyOf);
  const at = (map: ReadonlyMap<unknown, number>, element: unknown): number => map.get(keyOf(element)) ?? -1;
  const named = merged.filter((element) => wantedAt.has(keyOf(element)));
  const others = merged.filter((element) => !wantedAt.has(keyOf(element)));
  named.sort((a, b) => at(wantedAt, a) - at(wantedAt, b));
  others.sort((a, b) => at(beforeAt, a) - at(beforeAt, b));
  const ordered: unknown[] = [];
  let [next, other] = [0, 0];
  while (next < named.length || other < others.length) {
    const takesOther =
      next === named.length ||
      (other < others.length && isBefore(at(beforeAt, others[other]), at(beforeAt, named[next])));
    ordered.push(takesOther ? others[other++] : named[next++]);
  }
  return ordered;
}

function isBefore(a: number, b: number): boolean {
  return a >= 0 && b >= 0 && a < b;
}

function positions(elements: readonly unknown[], keyOf: KeyOf): ReadonlyMap<unknown, number> {
  const map = new Map<unknown, number>();
  for (const [i, element] of elements.entries()) if (!map.has(keyOf(element))) map.set(keyOf(element), i);
  return map;
}
