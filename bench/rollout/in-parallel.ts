/** As many as the operator's executor has under way. */
export const requestsInFlight = 16;

/** Does the work for each, so many at a time. */
export async function inParallel<Item>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item, index: number) => Promise<unknown>,
): Promise<void> {
  const left = items.entries();
  await Promise.all(
    Array.from({ length: Math.min(atOnce, items.length) }, async () => {
      for (const [index, item] of left) await work(item, index);
    }),
  );
}
