/** Requests in flight: more would only queue in the API server's priority levels. */
const parallelism = 8;

/** Does the work for every item, a few at a time. */
export async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const queue = items.values();
  const workers = Array.from({ length: parallelism }, async () => {
    for (const item of queue) await work(item);
  });
  await Promise.all(workers);
}
