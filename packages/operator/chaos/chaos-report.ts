import type { Violation } from '@atoll/testbed';
import type { ChaosOptions } from './chaos-options.ts';

/** What one round showed. */
export interface ChaosRound {
  readonly round: number;
  readonly faults: Readonly<Record<string, number>>;
  readonly changes: number;
  /** Successful writes of the operators. */
  readonly writes: number;
  /** Upgrades that node agents began when they were asked. */
  readonly upgrades: number;
  /** Upgrades that they refused because their disks were full. */
  readonly refusedUpgrades: number;
  /** From the last fault until all was as wanted, in milliseconds. */
  readonly settledMs: number;
  /** Programs of the control plane that ended by themselves and were started again. */
  readonly restarted: readonly string[];
  readonly violations: readonly Violation[];
  /** Why the history of this round proves nothing; undefined: it was judged. */
  readonly unjudged: string | undefined;
  /** What was not as wanted in time; empty: all was. */
  readonly unsettled: readonly string[];
  /** The directory with what shows why, where something is wrong. */
  readonly evidence: string | undefined;
  readonly processes: readonly ProcessSize[];
}

/** What a process holds. */
export interface ProcessSize {
  readonly name: string;
  readonly megabytes: number;
  /** Files and sockets. */
  readonly files: number;
  /** Timers that are set; undefined: it did not answer. */
  readonly timers: number | undefined;
}

export interface ChaosReport {
  readonly options: ChaosOptions;
  readonly rounds: readonly ChaosRound[];
}

export function isJudged({ unjudged }: ChaosRound): boolean {
  return unjudged === undefined;
}
