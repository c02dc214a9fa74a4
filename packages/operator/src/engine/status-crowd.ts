import type { Instant } from '@atoll/kube';

/** How long a write is remembered. */
const rememberedMs = 60_000;

/** Who writes its status, so that each waits the longer for its turn the more there are. */
export class StatusCrowd {
  #written: { readonly uid: string; readonly at: Instant }[] = [];

  wrote(uid: string, at: Instant): void {
    this.#written = this.#written.filter((write) => isWithin(rememberedMs, write.at, at));
    this.#written.push({ uid, at });
  }

  /** Writes of all others within so many milliseconds, a minute at most. */
  writesOfOthers(own: string, now: Instant, withinMs: number): number {
    let count = 0;
    for (const { uid, at } of this.#written) if (uid !== own && isWithin(withinMs, at, now)) count += 1;
    return count;
  }
}

/** A clock that was set back must not keep anybody waiting. */
function isWithin(milliseconds: number, at: Instant, now: Instant): boolean {
  return at > now - milliseconds && at <= now;
}
