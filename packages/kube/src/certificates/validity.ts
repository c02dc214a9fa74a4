/** When a certificate begins and ends. */
export interface Validity {
  /** Milliseconds since the Unix epoch; default: the time of the system. */
  readonly now?: number;
  /** Milliseconds from `now`; default a year. */
  readonly lifetimeMs?: number;
}

/** A certificate is valid from so much before it was made, in milliseconds: clocks differ, and are set. */
export const backdatedMs = 24 * 60 * 60 * 1000;
