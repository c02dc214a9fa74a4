import type { Instant } from '@atoll/kube';

export interface SlowStart {
  /** Since when the rollout goes on without a break. */
  readonly since: Instant;
  readonly intervalMs: number;
  /** How many more with each interval. */
  readonly increase: number;
  /** Never more than these. */
  readonly atMost: number;
}

/** How many may be created at once: more with each interval; and when it becomes more. */
export function slowStartSlots(
  { since, intervalMs, increase, atMost }: SlowStart,
  now: Instant,
): { readonly slots: number; readonly moreAt: Instant | undefined } {
  const intervals = Math.floor(Math.max(0, now - since) / intervalMs);
  const slots = Math.min((1 + intervals) * increase, atMost);
  return { slots, moreAt: slots < atMost && increase > 0 ? since + (1 + intervals) * intervalMs : undefined };
}
