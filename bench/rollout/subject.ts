import type { AuditEntry } from '@atoll/testbed';

/** What is rolled out: asked for by a user and written by the operator, or written by a bare loop. */
export interface Subject<Written> {
  /** Of the kind that a user changes. */
  readonly plural: string;
  /** And as many pods. */
  readonly children: number;
  create(namespace: string): Promise<unknown>;
  changeImage(namespace: string): Promise<unknown>;
  /** The garbage collector takes children and pods. */
  remove(namespace: string): Promise<unknown>;
  baseline(namespace: string): Baseline;
  countWrites(entries: readonly AuditEntry[]): Written;
}

/**
 * What writing alone costs: a bare loop that sends the objects which the operator would send, through the same client
 * with as many requests in flight. It reads nothing, decides nothing and reports nothing.
 */
export interface Baseline {
  /** Prepares what is not timed, and yields what is. */
  first(): Loop | Promise<Loop>;
  second(): Loop | Promise<Loop>;
}

export type Loop = () => Promise<unknown>;
