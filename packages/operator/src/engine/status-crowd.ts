import type { Instant } from '@atoll/kube';

/** How many write their status, so that each waits the longer for its turn the more there are. */
export class StatusCrowd {
  /** What was written within the window, the oldest first, and how often each. */
  readonly #written: { readonly id: string; readonly at: Instant }[] = [];
  readonly #writes = new Map<string, number>();
  readonly #windowMs: number;

  constructor(windowMs: number) {
    this.#windowMs = windowMs;
  }

  wrote(id: string, at: Instant): void {
    this.#written.push({ id, at });
    this.#writes.set(id, (this.#writes.get(id) ?? 0) + 1);
  }

  /** Writes of all others within the window. */
  writesOfOthers(own: string, now: Instant): number {
    // A clock that was set back must not keep anybody waiting.
    const isRecent = ({ at }: { readonly at: Instant }): boolean => at > now - this.#windowMs && at <= now;
    const recent = this.#written.findIndex(isRecent);
    const gone = this.#written.splice(0, recent === -1 ? this.#written.length : recent);
    for (const { id } of gone) this.#forget(id);
    return this.#written.length - (this.#writes.get(own) ?? 0);
  }

  #forget(id: string): void {
    const left = (this.#writes.get(id) ?? 0) - 1;
    if (left > 0) this.#writes.set(id, left);
    else this.#writes.delete(id);
  }
}
