import {
  strategyProblems,
  withDefaults,
  type DefaultedStrategy,
  type ExtendedDaemonSet,
  type ValidationMode,
} from '@atoll/api';
import { parseDuration, type IntOrPercent, type LabelSelector } from '@atoll/kube';

/** `spec.strategy` with defaults, durations in milliseconds. */
export interface Strategy {
  /** The least interval between two batches of deletions, and the window of the creation limit. */
  readonly reconcileEveryMs: number;
  readonly maxUnavailable: IntOrPercent;
  readonly maxPodSchedulerFailure: IntOrPercent;
  readonly maxParallelPodCreation: number;
  readonly slowStartIntervalMs: number;
  readonly slowStartIncrease: IntOrPercent;
  /** undefined: a new template goes to all nodes at once. */
  readonly canary: CanaryStrategy | undefined;
}

export interface CanaryStrategy {
  readonly replicas: IntOrPercent;
  readonly mode: ValidationMode;
  /** undefined: it never ends by time. */
  readonly durationMs: number | undefined;
  readonly noRestartsMs: number | undefined;
  readonly nodeSelector: LabelSelector;
  readonly antiAffinityKeys: readonly string[];
  /** undefined: it is off. */
  readonly autoPause: AutoPause | undefined;
  readonly autoFail: AutoFail | undefined;
}

export interface AutoPause {
  readonly maxRestarts: number;
  readonly maxSlowStartMs: number | undefined;
}

export interface AutoFail {
  readonly maxRestarts: number;
  readonly maxRestartsMs: number | undefined;
  readonly timeoutMs: number | undefined;
}

export interface ReadStrategy {
  readonly strategy: Strategy;
  /** What is wrong, each a sentence; then the strategy is the default, with a canary where there is one, which its pods neither pause nor fail. */
  readonly problems: readonly string[];
}

/**
 * Reads a strategy. Defaults are applied here and never written into the spec, so that a manifest may be changed from auto to manual mode
 * (BUG-31), and nothing in it makes a reconcile fail (BUG-13). `mode` is that of canaries that name none.
 */
export function readStrategy({ spec }: Pick<ExtendedDaemonSet, 'spec'>, mode: ValidationMode): ReadStrategy {
  const { strategy } = withDefaults(spec, mode);
  const problems = strategyProblems(strategy);
  if (problems.length === 0) return { strategy: inMilliseconds(strategy), problems };
  const off = { enabled: false };
  const canary = { autoPause: off, autoFail: off };
  const bare = { ...spec, strategy: spec.strategy.canary === undefined ? {} : { canary } };
  return { strategy: inMilliseconds(withDefaults(bare, mode).strategy), problems };
}

function inMilliseconds({ reconcileFrequency, rollingUpdate, canary }: DefaultedStrategy): Strategy {
  return {
    reconcileEveryMs: parseDuration(reconcileFrequency),
    maxUnavailable: rollingUpdate.maxUnavailable,
    maxPodSchedulerFailure: rollingUpdate.maxPodSchedulerFailure,
    maxParallelPodCreation: rollingUpdate.maxParallelPodCreation,
    slowStartIntervalMs: parseDuration(rollingUpdate.slowStartIntervalDuration),
    slowStartIncrease: rollingUpdate.slowStartAdditiveIncrease,
    canary: canary && canaryOf(canary),
  };
}

function canaryOf(canary: NonNullable<DefaultedStrategy['canary']>): CanaryStrategy {
  const { autoPause, autoFail } = canary;
  return {
    mode: canary.validationMode,
    replicas: canary.replicas,
    durationMs: lengthOf(canary.duration),
    noRestartsMs: lengthOf(canary.noRestartsDuration),
    nodeSelector: canary.nodeSelector as LabelSelector,
    antiAffinityKeys: canary.nodeAntiAffinityKeys ?? [],
    autoPause: autoPause.enabled
      ? { maxRestarts: autoPause.maxRestarts, maxSlowStartMs: lengthOf(autoPause.maxSlowStartDuration) }
      : undefined,
    autoFail: autoFail.enabled
      ? {
          maxRestarts: autoFail.maxRestarts,
          maxRestartsMs: lengthOf(autoFail.maxRestartsDuration),
          timeoutMs: lengthOf(autoFail.canaryTimeout),
        }
      : undefined,
  };
}

function lengthOf(duration: string | undefined): number | undefined {
  return duration === undefined ? undefined : parseDuration(duration);
}
