import type { CauseWord } from './cause.ts';

/** Why a workload is not healthy, as its pods show it. */
export interface Finding {
  /** Of the most common cause. */
  readonly word: CauseWord;
  /** A clause for people: which pods, on which nodes, why, and what else is wrong. */
  readonly message: string;
  /** Of the most common cause: at most ten names each, sorted. */
  readonly pods: readonly string[];
  readonly nodes: readonly string[];
}
