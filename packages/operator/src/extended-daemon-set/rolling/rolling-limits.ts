import { scaleIntOrPercent, type Instant } from '@atoll/kube';
import { earliest } from '../../engine/earliest.ts';
import { untilNodeBack, type RolloutLimits } from '../../engine/rollout/choose-targets.ts';
import { zonesInterleaved } from '../../engine/rollout/order.ts';
import { slowStartSlots } from '../../engine/rollout/slow-start.ts';
import type { HoldRule } from '../../engine/rollout/target-hold.ts';
import { isFrozen, type HeldBy } from './held-by.ts';
import type { Strategy } from '../read-strategy.ts';

/** What the limits of the active replica set follow from. */
export interface RollingState {
  readonly strategy: Strategy;
  /** Why outdated pods are not deleted, and perhaps none is made either. */
  readonly held: HeldBy | undefined;
  /** How many nodes are to run its pods. */
  readonly nodes: number;
  /** Since when it is active, neither paused nor frozen; undefined: since now. */
  readonly activeSince: Instant | undefined;
  /** When its pods were created. */
  readonly created: readonly Instant[];
  /** Names of nodes on which no pod can be made now. */
  readonly unfit: ReadonlySet<string>;
  readonly now: Instant;
}

/** How long an unresponsive node counts against `maxUnavailable`: one of those that `maxPodSchedulerFailure` tolerates, and any other that is away. */
export const unresponsiveNodeCountsForMs = { tolerated: 60_000, others: 10 * 60_000 } as const;

/** What bounds the rolling update of the active replica set (`reference/extendeddaemonset.md` 3.10). */
export function rollingLimits(state: RollingState): RolloutLimits {
  const { strategy, held, unfit } = state;
  return {
    unavailable: { value: strategy.maxUnavailable, base: 'all', rounding: 'up', atLeast: 0 },
    away: { countsForMs: unresponsiveNodeCountsForMs.tolerated },
    order: [zonesInterleaved],
    called: 'nodes',
    holds: [
      ...(strategy.maxParallelPodCreation === 0 ? [makesNone] : []),
      ...(held === undefined ? [] : isFrozen(held) ? [held.rule] : [whereSomethingRuns(held.rule)]),
      (target) => (target.at === 'nothing' && unfit.has(target.id) ? untilNodeBack(target) : undefined),
    ],
    creations: creationsOf(state),
    batches: { everyMs: strategy.reconcileEveryMs },
  };
}

/** Slow start has no part in it: no pod is ever made, so none is deleted to be replaced either. */
const makesNone: HoldRule = () => ({
  reason: 'CreationLimitReached',
  waitsFor: 'person',
  waitingUntil:
    'spec.strategy.rollingUpdate.maxParallelPodCreation is more than 0: it allows no pod to be made',
});

function whereSomethingRuns(rule: HoldRule): HoldRule {
  return (target, now) => (target.at === 'nothing' ? undefined : rule(target, now));
}

/** How many pods may be made now: as many as slow start allows in an interval, without those that were made within the last one. */
function creationsOf({
  strategy: {
    slowStartIncrease,
    slowStartIntervalMs: intervalMs,
    maxParallelPodCreation: atMost,
    reconcileEveryMs,
  },
  held,
  nodes,
  activeSince,
  created,
  now,
}: RollingState): NonNullable<RolloutLimits['creations']> {
  const increase = Math.max(1, scaleIntOrPercent(slowStartIncrease, nodes, 'up'));
  const { slots, moreAt } =
    intervalMs <= 0
      ? { slots: atMost, moreAt: undefined }
      : slowStartSlots({ since: activeSince ?? now, intervalMs, increase, atMost }, now);
  // Of a clock that was set back, what lies further ahead does not count.
  const known = created.filter((each) => each <= now + Math.max(reconcileEveryMs, 1_000));
  const ends = known.map((each) => endOfSecond(each, reconcileEveryMs) + reconcileEveryMs);
  const recent = ends.filter((end) => end > now);
  // While the rollout is paused slow start begins anew with each look, so it allows no more by itself.
  const grows = activeSince !== undefined || held === undefined;
  return {
    atMost: Math.max(0, slots - recent.length),
    moreAt: earliest([grows ? moreAt : undefined, ...recent]),
  };
}

/** Kubernetes' times are whole seconds: within an interval of seconds one counts from the end of its second. */
export function endOfSecond(moment: Instant, intervalMs: number): Instant {
  return intervalMs < 1_000 ? moment : moment + 999;
}
