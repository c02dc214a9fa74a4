import type { Beside } from '../rollout/verdict.ts';
import type { Written } from './written.ts';

/** One rollout of all objects, from the first request on. Milliseconds. */
export interface Rollout {
  /** Until every child exists with the wanted template. */
  readonly writtenMs: number;
  /** Until all pods are Ready with it, and no other pod is left. */
  readonly readyMs: number;
}

/** A rollout that the operator did. */
export interface OperatorRollout extends Rollout {
  /** Processor time from the first request until it had nothing more to write. */
  readonly cpuMs: number;
  readonly written: Written;
}

export interface FloorRound {
  readonly first: Rollout;
  readonly second: Rollout;
}

export interface OperatorRound {
  readonly syncedAfterMs: number;
  readonly first: OperatorRollout;
  readonly second: OperatorRollout;
  /** Bytes, after both, with all objects, children and pods there. */
  readonly peakRss: number;
  readonly scale: Scaling;
}

/** All objects scaled at once. */
export interface Scaling {
  readonly readyMs: number;
  readonly cpuMs: number;
  /** Subsets whose number changes. */
  readonly changedSubsets: number;
  readonly written: Written;
}

/** One object scaled in quiet. */
export interface Reaction {
  readonly childWrites: number;
  /** Milliseconds from the API server's answer to the request until it received the last child's write. */
  readonly afterMs: number;
}

export interface Rest {
  readonly seconds: number;
  readonly writes: number;
  /** Of one core. */
  readonly cpuShare: number;
}

export interface Measurement {
  readonly objects: number;
  readonly nodes: number;
  readonly rounds: readonly RoundsBeside[];
  /** One after the other, each in quiet. */
  readonly reactions: readonly Reaction[];
  readonly rest: Rest;
}

export interface RoundsBeside extends Beside<FloorRound> {
  readonly operator: OperatorRound;
}
