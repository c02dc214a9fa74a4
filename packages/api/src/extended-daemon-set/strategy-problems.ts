import { isIntOrPercent, parseDurationNanoseconds, parseIntOrPercent, type IntOrPercent } from '@atoll/kube';
import type { DefaultedCanary, DefaultedStrategy } from './with-defaults.ts';

/**
 * What of a strategy cannot be carried out, a sentence each; empty where it can. The schema refuses the same, except
 * in objects that an old operator left, and where the mode of the canary is the operator's own default.
 */
export function strategyProblems(strategy: DefaultedStrategy): readonly string[] {
  const { reconcileFrequency, rollingUpdate, canary } = strategy;
  const update = 'spec.strategy.rollingUpdate';
  return [
    ...duration('spec.strategy.reconcileFrequency', reconcileFrequency),
    ...amount(`${update}.maxUnavailable`, rollingUpdate.maxUnavailable, 1),
    ...amount(`${update}.maxPodSchedulerFailure`, rollingUpdate.maxPodSchedulerFailure),
    ...count(`${update}.maxParallelPodCreation`, rollingUpdate.maxParallelPodCreation),
    ...duration(`${update}.slowStartIntervalDuration`, rollingUpdate.slowStartIntervalDuration, 1n),
    ...amount(`${update}.slowStartAdditiveIncrease`, rollingUpdate.slowStartAdditiveIncrease),
    ...(canary === undefined ? [] : canaryProblems(canary)),
  ];
}

function canaryProblems(canary: DefaultedCanary): readonly string[] {
  const { autoPause, autoFail } = canary;
  const path = 'spec.strategy.canary';
  return [
    ...amount(`${path}.replicas`, canary.replicas),
    ...duration(`${path}.duration`, canary.duration),
    ...duration(`${path}.noRestartsDuration`, canary.noRestartsDuration),
    ...count(`${path}.autoPause.maxRestarts`, autoPause.maxRestarts),
    ...duration(`${path}.autoPause.maxSlowStartDuration`, autoPause.maxSlowStartDuration),
    ...count(`${path}.autoFail.maxRestarts`, autoFail.maxRestarts),
    ...duration(`${path}.autoFail.maxRestartsDuration`, autoFail.maxRestartsDuration),
    ...duration(`${path}.autoFail.canaryTimeout`, autoFail.canaryTimeout),
    ...failsBeforePausing(canary),
    ...timesOutTooEarly(canary),
  ];
}

function failsBeforePausing({ autoPause, autoFail }: DefaultedCanary): readonly string[] {
  if (!autoPause.enabled || !autoFail.enabled || autoFail.maxRestarts >= autoPause.maxRestarts) return [];
  if (autoFail.maxRestarts < 0) return [];
  return [
    `spec.strategy.canary.autoFail.maxRestarts is ${autoFail.maxRestarts}; ` +
      `it must be at least autoPause.maxRestarts, which is ${autoPause.maxRestarts}`,
  ];
}

function timesOutTooEarly({ duration: least, autoFail }: DefaultedCanary): readonly string[] {
  const { enabled, canaryTimeout } = autoFail;
  if (!enabled || canaryTimeout === undefined || least === undefined) return [];
  // Values that mean nothing cannot be compared.
  if ([canaryTimeout, least].some((text) => duration('', text).length > 0)) return [];
  if (parseDurationNanoseconds(canaryTimeout) > parseDurationNanoseconds(least)) return [];
  return [
    `spec.strategy.canary.autoFail.canaryTimeout is ${canaryTimeout}; it must be longer than duration, which is ${least}`,
  ];
}

function count(path: string, value: number): readonly string[] {
  return value >= 0 ? [] : [`${path} is ${value}; it must be at least 0`];
}

function amount(path: string, value: IntOrPercent, least = 0): readonly string[] {
  if (isIntOrPercent(value) && parseIntOrPercent(value).value >= least) return [];
  const quoted = typeof value === 'string' && /^\d+$/.test(value) ? '. Without quotes it is a number' : '';
  return [
    `${path} is ${JSON.stringify(value)}; it must be a number of at least ${least}, or a whole percentage of at least ${least}%${quoted}`,
  ];
}

/** `least` in nanoseconds. */
function duration(path: string, text: string | undefined, least = 0n): readonly string[] {
  if (text === undefined) return [];
  try {
    if (parseDurationNanoseconds(text) >= least) return [];
    return [`${path} is ${text}; it must be ${least === 0n ? 'at least 0' : 'longer than 0'}`];
  } catch (error) {
    return [`${path}: ${error instanceof Error ? error.message : String(error)}`];
  }
}
