import type { Written } from './written.ts';

/** One rollout over all pools, from the request that starts it. Milliseconds. */
export interface Rollout {
  /** Until every child exists with the wanted template. */
  readonly writtenMs: number;
  /** Until all pods are Ready with it, and no other pod is left. */
  readonly readyMs: number;
}

/** A rollout that the operator did. */
export interface OperatorRollout extends Rollout {
  /** Processor time from the request until it had nothing more to write. */
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
  /** Bytes, at the end of the round. */
  readonly peakRss: number;
}

/** From a change of one pool until the operator's answer. */
export interface PoolChange {
  readonly childWrites: number;
  /** Milliseconds from the API server's answer to the change until it received the write of the child. */
  readonly afterMs: number;
}

export interface Rest {
  readonly seconds: number;
  readonly writes: number;
  /** Of one core. */
  readonly cpuShare: number;
}

export interface Joining {
  readonly nodes: number;
  readonly nodeWrites: number;
  readonly mostStatusWritesPerPoolAndSecond: number;
}

export interface Measurement {
  readonly pools: number;
  readonly rounds: readonly { readonly floor: FloorRound; readonly operator: OperatorRound }[];
  /** With all pools, nodes and children there. */
  readonly syncedAfterMs: number;
  /** One after the other, each in quiet. */
  readonly poolJoins: readonly PoolChange[];
  readonly poolLeaves: readonly PoolChange[];
  readonly rest: Rest;
  readonly joining: Joining;
}
