import type { Instant } from '@atoll/kube';

/** How many writes of others there are: those that are held back, and those that went within a time. */
export interface Crowd {
  readonly ofMinute: number;
  readonly ofTenSeconds: number;
}

/** Who writes its status, so that each waits the longer for its turn the more there are. */
export class StatusCrowd {
  /** Those of the last minute. */
  #written: { readonly uid: string; readonly at: Instant }[] = [];

  wrote(uid: string, at: Instant): void {
    this.#written = this.#written.filter((write) => isWithin(60_000, write.at, at));
    this.#written.push({ uid, at });
  }

  /** Writes of all others. */
  writesOfOthers(own: string, now: Instant): Crowd {
    let [ofMinute, ofTenSeconds] = [0, 0];
    for (const { uid, at } of this.#written) {
      if (uid === own || !isWithin(60_000, at, now)) continue;
      ofMinute += 1;
      if (isWithin(10_000, at, now)) ofTenSeconds += 1;
    }
    return { ofMinute, ofTenSeconds };
  }
}

/** A clock that was set back must not keep anybody waiting. */
function isWithin(milliseconds: number, at: Instant, now: Instant): boolean {
  return at > now - milliseconds && at <= now;
}
