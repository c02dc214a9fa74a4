import { daemonSetUpdate } from '@atoll/api';
import { parseIntOrPercent, type DaemonSet, type IntOrPercent, type Stored } from '@atoll/kube';

const { annotations: names } = daemonSetUpdate;

/** What the annotations of a DaemonSet ask for. */
export type UpgradeRequest =
  | { readonly strategy: 'none' }
  | {
      readonly strategy: 'invalid';
      readonly reason: 'InvalidUpgradeStrategy' | 'NotOnDelete';
      readonly problem: string;
    }
  /** The owner of each node decides when its pod is upgraded. */
  | { readonly strategy: 'ota'; readonly paused: boolean }
  | RollingUpgrade;

/** Outdated pods are deleted within a budget. */
export interface RollingUpgrade {
  readonly strategy: 'rolling';
  /** Of the nodes that count, rounded up, at least 1. */
  readonly maxUnavailable: IntOrPercent;
  readonly paused: boolean;
  /** For how long a node counts that went away after its pod was deleted. */
  readonly awayCountsForMs: number;
  /** Pods are evicted, so that PodDisruptionBudgets are kept. */
  readonly evicts: boolean;
}

const strategies: ReadonlyMap<string, 'ota' | 'rolling'> = new Map([
  ['ota', 'ota'],
  ['advancedrollingupdate', 'rolling'],
  // What releases up to v1.6 called the same.
  ['auto', 'rolling'],
]);

const defaultMaxUnavailable = '10%';
const defaultAwaySeconds = 60;

/**
 * Reads the annotations. The value of the strategy counts in any case, under both of its names. A `max-unavailable` of 0 is the
 * default, as in every release of OpenYurt.
 */
export function readUpgradeRequest({
  metadata,
  spec,
}: Pick<Stored<DaemonSet>, 'metadata' | 'spec'>): UpgradeRequest {
  const found = metadata.annotations ?? {};
  const asked = [names.updateStrategy, names.upgradeStrategy].flatMap((name) => {
    const value = found[name];
    return value === undefined ? [] : [{ name, value, strategy: strategies.get(value.toLowerCase()) }];
  });
  const [first] = asked;
  if (first === undefined) return { strategy: 'none' };
  for (const { name, value, strategy } of asked) {
    if (strategy === undefined)
      return invalid(`the annotation ${name} is "${value}". Use OTA or AdvancedRollingUpdate`);
  }
  if (asked.some(({ strategy }) => strategy !== first.strategy)) {
    const both = asked.map(({ name, value }) => `${name} is "${value}"`).join(' and ');
    return invalid(`the annotations contradict each other: ${both}. Remove one of them`);
  }
  const type = spec?.updateStrategy?.type ?? 'RollingUpdate';
  if (type !== 'OnDelete') {
    const problem = `spec.updateStrategy.type is ${type}, so the DaemonSet controller itself replaces pods. Set it to OnDelete, or remove the annotation ${first.name}`;
    return { strategy: 'invalid', reason: 'NotOnDelete', problem };
  }
  const unclear = flagProblem(found);
  if (unclear !== undefined) return invalid(unclear);
  const paused = found[names.rolloutPaused] === 'true';
  return first.strategy === 'ota' ? { strategy: 'ota', paused } : readRolling(found, paused);
}

/** What is wrong with a switch that both strategies have, or would have. */
function flagProblem(found: Readonly<Record<string, string>>): string | undefined {
  for (const name of [names.rolloutPaused, names.respectDisruptionBudgets]) {
    const value = found[name];
    if (value !== undefined && value !== 'true' && value !== 'false')
      return `the annotation ${name} is "${value}". Use "true" or "false"`;
  }
  return undefined;
}

function readRolling(found: Readonly<Record<string, string>>, paused: boolean): UpgradeRequest {
  const limit = readMaxUnavailable(found[names.maxUnavailable]);
  if (limit === undefined) {
    return invalid(
      `the annotation ${names.maxUnavailable} is "${found[names.maxUnavailable]}". Use a whole number like 3, or a percentage like 10%`,
    );
  }
  const seconds = readSeconds(found[names.awayNodeCountsSeconds]);
  if (seconds === undefined) {
    return invalid(
      `the annotation ${names.awayNodeCountsSeconds} is "${found[names.awayNodeCountsSeconds]}". Use whole seconds from 0 to ${longestSeconds}, like 60`,
    );
  }
  return {
    strategy: 'rolling',
    maxUnavailable: limit,
    paused,
    awayCountsForMs: 1000 * seconds,
    evicts: found[names.respectDisruptionBudgets] === 'true',
  };
}

function readMaxUnavailable(text: string | undefined): IntOrPercent | undefined {
  if (text === undefined) return defaultMaxUnavailable;
  const value = /^[0-9]+$/.test(text) ? Number(text) : text;
  try {
    const parsed = parseIntOrPercent(value);
    if (parsed.value < 0) return undefined;
    return parsed.value === 0 ? defaultMaxUnavailable : value;
  } catch {
    return undefined;
  }
}

const longestSeconds = 86_400;

function readSeconds(text: string | undefined): number | undefined {
  if (text === undefined) return defaultAwaySeconds;
  const seconds = /^[0-9]+$/.test(text) ? Number(text) : Infinity;
  return seconds <= longestSeconds ? seconds : undefined;
}

function invalid(problem: string): UpgradeRequest {
  return { strategy: 'invalid', reason: 'InvalidUpgradeStrategy', problem };
}
