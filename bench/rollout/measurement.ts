import type { Span } from '../pace/pace.ts';
import type { Beside } from '../verdicts/verdict.ts';

/** One rollout of everything, from the first request on. Milliseconds. */
export interface Rollout {
  /** Until every child exists with the wanted template. */
  readonly childrenMs: number;
  /** Until all pods are Ready with it, and no other pod is left. */
  readonly podsMs: number;
  /**
   * Processor time that controller manager, scheduler and kubelets took until then: for the same children the same, on a
   * machine of one speed.
   */
  readonly bystandersMs: number;
  /** Processor time that each part of the control plane took until then. */
  readonly processorMs: Readonly<Record<string, number>>;
}

/** What the operator did for something that was asked of it. */
export interface Work<Written> {
  /** Processor time from the request until it had nothing more to write. */
  readonly cpu: Span;
  readonly written: Written;
  /** Milliseconds until the last of the changes was seen: the next status write of its object was answered. */
  readonly seenMs: number;
}

export interface BaselineRound {
  readonly first: Rollout;
  readonly second: Rollout;
}

export interface OperatorRound<Written> {
  readonly syncedAfterMs: number;
  readonly first: Rollout & Work<Written>;
  readonly second: Rollout & Work<Written>;
  /** Bytes, after both, with all objects, children and pods there. */
  readonly peakRss: number;
}

/** The bare loop and the operator in turn. */
export interface Run<Operator extends BaselineRound> extends Beside<BaselineRound> {
  readonly operator: Operator;
}

/** The operator's answer to one change in quiet. */
export interface Reaction {
  readonly childWrites: number;
  /** Milliseconds from the API server's answer to the request until it received the last child's write. */
  readonly afterMs: number;
}

export interface Rest {
  readonly seconds: number;
  readonly writes: number;
  /** Processor time in all. */
  readonly cpu: Span;
}
