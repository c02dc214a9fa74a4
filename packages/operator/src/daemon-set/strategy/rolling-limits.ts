import { daemonSetUpdate } from '@atoll/api';
import type { RolloutLimits } from '../../engine/rollout/choose-targets.ts';
import { zonesInterleaved } from '../../engine/rollout/order.ts';
import type { HoldRule } from '../../engine/rollout/target-hold.ts';
import type { RollingUpgrade } from './upgrade-request.ts';

/**
 * What bounds the deletion of outdated pods: a percentage is one of the nodes that count, rounded up, and at least one may be
 * unavailable (`reference/openyurt.md` 4.3).
 */
export function limitsOf({ maxUnavailable, paused, awayCountsForMs }: RollingUpgrade): RolloutLimits {
  return {
    unavailable: { value: maxUnavailable, base: 'counting', rounding: 'up', atLeast: 1 },
    away: { countsForMs: awayCountsForMs },
    order: [zonesInterleaved],
    called: 'nodes',
    holds: [whereSomethingRuns(namingWhatCounts(holdRule(paused)))],
  };
}

/** Why the pod of a node stays as it is, under each strategy. */
export function holdRule(paused: boolean): HoldRule {
  return paused ? whilePaused : whereExcluded;
}

/** Where a pod is missing, or ends, the DaemonSet controller makes the next one: nothing keeps it. */
function whereSomethingRuns(rule: HoldRule): HoldRule {
  return (target, now) =>
    target.at === 'nothing' || target.health === 'gone' ? undefined : rule(target, now);
}

/** A pod that is kept and not available has a place in the budget: others may wait for nothing else. */
function namingWhatCounts(rule: HoldRule): HoldRule {
  return (target, now) => {
    const held = rule(target, now);
    if (held?.reason !== 'NodeExcluded' || target.health === 'healthy') return held;
    const waitingUntil = `the pod is available, or ${held.waitingUntil}, which counts as unavailable`;
    return { ...held, waitingUntil };
  };
}

const whilePaused: HoldRule = () => ({
  reason: 'Paused',
  waitsFor: 'person',
  waitingUntil: `the annotation ${daemonSetUpdate.annotations.rolloutPaused} is removed`,
});

/** In doubt the pod stays: with every value but `false`. Where that is not `true`, the message says which one to use. */
const whereExcluded: HoldRule = ({ labels }) => {
  const { excluded } = daemonSetUpdate.nodeLabels;
  const value = labels[excluded];
  if (value === undefined || value === 'false') return undefined;
  const removed = `the label ${excluded} is removed from the node`;
  const instead = ` (it is "${value}": use "true" to keep the pod, "false" not to)`;
  return {
    reason: 'NodeExcluded',
    waitsFor: 'person',
    waitingUntil: value === 'true' ? removed : `${removed}${instead}`,
  };
};
