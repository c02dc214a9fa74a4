import type { IntOrPercent, PodTemplateSpec } from '@atoll/kube';
import { extendedDaemonSetDefaults } from './defaults.ts';
import type { CanaryStrategy, ExtendedDaemonSetSpec } from './extended-daemon-set.ts';
import type { ValidationMode } from './names.ts';

/** `spec.strategy.rollingUpdate` with every field. */
export interface DefaultedRollingUpdate {
  readonly maxUnavailable: IntOrPercent;
  readonly maxPodSchedulerFailure: IntOrPercent;
  readonly maxParallelPodCreation: number;
  readonly slowStartIntervalDuration: string;
  readonly slowStartAdditiveIncrease: IntOrPercent;
}

/** `spec.strategy.canary` with every field that has a default. */
export interface DefaultedCanary {
  readonly validationMode: ValidationMode;
  readonly replicas: IntOrPercent;
  /** Absent in the mode `manual`, whatever the object holds. */
  readonly duration?: string;
  /** Absent in the mode `manual`, and where {@link withDefaults} leaves it out. */
  readonly noRestartsDuration?: string;
  readonly nodeSelector: NonNullable<CanaryStrategy['nodeSelector']>;
  readonly nodeAntiAffinityKeys?: readonly string[];
  readonly autoPause: NonNullable<CanaryStrategy['autoPause']> & Switch;
  readonly autoFail: NonNullable<CanaryStrategy['autoFail']> & Switch;
}

interface Switch {
  readonly enabled: boolean;
  readonly maxRestarts: number;
}

export interface DefaultedStrategy {
  readonly reconcileFrequency: string;
  readonly rollingUpdate: DefaultedRollingUpdate;
  readonly canary?: DefaultedCanary;
}

export interface DefaultedSpec extends Omit<ExtendedDaemonSetSpec, 'strategy'> {
  readonly strategy: DefaultedStrategy;
}

const defaults = extendedDaemonSetDefaults;

/**
 * The spec with what the old operator would have filled in, and without the name of the template, which no two pods
 * can have. `mode` is that of canaries that name none (`EDS_VALIDATION_MODE`).
 *
 * In the mode `manual` the two durations of the canary are absent: the old operator wrote them into every spec of the mode
 * `auto`, and they stay when the user changes the mode. A spec that lacks `noRestartsDuration` alone is left without:
 * the old operator filled in nothing where nothing else was missing.
 */
export function withDefaults(
  spec: ExtendedDaemonSetSpec,
  mode: ValidationMode = defaults.canary.validationMode,
): DefaultedSpec {
  const { rollingUpdate, canary, reconcileFrequency = defaults.reconcileFrequency } = spec.strategy;
  return {
    ...spec,
    template: templateWithoutName(spec.template),
    strategy: {
      reconcileFrequency,
      rollingUpdate: { ...defaults.rollingUpdate, ...rollingUpdate },
      ...(canary !== undefined && { canary: canaryWithDefaults(canary, mode, isFilledIn(spec)) }),
    },
  };
}

function canaryWithDefaults(
  canary: CanaryStrategy,
  mode: ValidationMode,
  isFilledIn: boolean,
): DefaultedCanary {
  const { duration, noRestartsDuration, ...given } = canary;
  const quiet = noRestartsDuration ?? (isFilledIn ? undefined : defaults.canary.noRestartsDuration);
  const { validationMode = mode } = given;
  return {
    ...given,
    validationMode,
    ...(validationMode === 'auto' && { duration: duration ?? defaults.canary.duration }),
    ...(validationMode === 'auto' && quiet !== undefined && { noRestartsDuration: quiet }),
    replicas: given.replicas ?? defaults.canary.replicas,
    nodeSelector: given.nodeSelector ?? defaults.canary.nodeSelector,
    autoPause: { ...defaults.canary.autoPause, ...given.autoPause },
    autoFail: { ...defaults.canary.autoFail, ...given.autoFail },
  };
}

/** Whether the old operator would have filled in nothing. */
function isFilledIn({ strategy, template }: ExtendedDaemonSetSpec): boolean {
  const { rollingUpdate = {}, canary, reconcileFrequency } = strategy;
  return (
    reconcileFrequency !== undefined &&
    Object.keys(defaults.rollingUpdate).every((field) => field in rollingUpdate) &&
    !hasName(template) &&
    (canary === undefined || isFilledInCanary(canary))
  );
}

function isFilledInCanary(canary: CanaryStrategy): boolean {
  const { validationMode, duration, autoPause = {}, autoFail = {} } = canary;
  return (
    validationMode !== undefined &&
    (validationMode === 'manual' || duration !== undefined) &&
    canary.replicas !== undefined &&
    canary.nodeSelector !== undefined &&
    'enabled' in autoPause &&
    'maxRestarts' in autoPause &&
    'enabled' in autoFail &&
    'maxRestarts' in autoFail
  );
}

function hasName({ metadata }: PodTemplateSpec): boolean {
  return metadata?.name !== undefined && metadata.name !== '';
}

/** The same object where there is no name, so that what was computed of it can be kept. */
export function templateWithoutName(template: PodTemplateSpec): PodTemplateSpec {
  if (template.metadata?.name === undefined) return template;
  const { name: _, ...metadata } = template.metadata;
  return { ...template, metadata };
}
