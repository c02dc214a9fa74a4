import type { OperatorRound, Reaction, Rest, Run } from '../rollout/measurement.ts';
import type { Span } from '../pace/pace.ts';
import type { Written } from './written.ts';

export interface Measurement {
  readonly pools: number;
  readonly rounds: readonly Run<OperatorRound<Written>>[];
  /** With all pools, nodes and children there. */
  readonly syncedAfter: Span;
  /** One after the other, each in quiet. */
  readonly poolJoins: readonly Reaction[];
  readonly poolLeaves: readonly Reaction[];
  readonly rest: Rest;
  readonly joining: Joining;
}

export interface Joining {
  readonly nodes: number;
  readonly nodeWrites: number;
  readonly mostStatusWritesPerPoolAndSecond: number;
}
