/** Resolves when the signal ends. */
export function ended(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

/** What the work brings. undefined: the signal ended first, and the work goes on unheard, as where a file system does not answer. */
export async function unlessEnded<T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  return Promise.race([work, ended(signal).then(() => undefined)]);
}
