import { setTimeout as delay } from 'node:timers/promises';

/** Looks, with pauses, until nothing is open or so many milliseconds are over. Yields what is open then, a line each. */
export async function untilNoneOpen(
  look: () => Promise<readonly string[]>,
  ms: number,
  pauseMs: number,
): Promise<readonly string[]> {
  const end = Date.now() + ms;
  for (;;) {
    const open = await look();
    if (open.length === 0 || Date.now() > end) return open;
    await delay(pauseMs);
  }
}
