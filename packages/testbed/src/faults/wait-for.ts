import { setTimeout as delay } from 'node:timers/promises';

/** Resolves when the condition holds; rejects after `deadlineMs` milliseconds, with what it waited for. */
export async function waitFor(condition: () => boolean, what: string, deadlineMs = 90_000): Promise<void> {
  const end = performance.now() + deadlineMs;
  while (!condition()) {
    if (performance.now() > end) throw new Error(`waited ${deadlineMs} ms in vain for ${what}`);
    await delay(5);
  }
}
