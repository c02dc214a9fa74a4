import type { OperatorRound, Reaction, Rest, Run, Work } from '../rollout/measurement.ts';
import type { Written } from './written.ts';

export interface Measurement {
  readonly objects: number;
  readonly nodes: number;
  readonly rounds: readonly Run<OperatorRound<Written> & Scaled>[];
  /** One after the other, each in quiet. */
  readonly reactions: readonly Reaction[];
  readonly rest: Rest;
}

export interface Scaled {
  readonly scale: Scaling;
}

/** All objects scaled at once. */
export interface Scaling extends Work<Written> {
  readonly readyMs: number;
  /** Subsets whose number changes. */
  readonly changedSubsets: number;
}
