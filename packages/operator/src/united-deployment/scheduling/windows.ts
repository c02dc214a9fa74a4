import { adaptiveDefaults } from '@atoll/api';
import type { Windows } from './judgement.ts';

/** `spec.topology.scheduleStrategy.adaptive`, in seconds. */
export interface AdaptiveStrategy {
  readonly rescheduleCriticalSeconds?: number | undefined;
  readonly unschedulableDuration?: number | undefined;
  /** What releases before 1.9 called `unschedulableDuration`; the newer name wins. */
  readonly unschedulableLastSeconds?: number | undefined;
}

/**
 * A window that cannot be, because it is negative, is the default: 0 would move pods before anybody looked for a node. One of 0 would begin again with
 * every reconcile, so it is a second.
 */
export function windowsOf(strategy: AdaptiveStrategy | undefined): Windows {
  const critical = strategy?.rescheduleCriticalSeconds;
  const unschedulable = strategy?.unschedulableDuration ?? strategy?.unschedulableLastSeconds;
  return {
    criticalMs: secondsOr(adaptiveDefaults.rescheduleCriticalSeconds, critical) * 1000,
    unschedulableMs: Math.max(1, secondsOr(adaptiveDefaults.unschedulableDuration, unschedulable)) * 1000,
  };
}

function secondsOr(fallback: number, seconds: number | undefined): number {
  return typeof seconds === 'number' && seconds >= 0 ? seconds : fallback;
}
