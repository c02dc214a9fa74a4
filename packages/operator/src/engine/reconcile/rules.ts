import type { InDoubt } from '../executor/commands.ts';
import { executionRules } from '../executor/rules.ts';
import type { ExecutionRules } from '../executor/rules.ts';
import { acknowledgesFirst, showsGeneration } from './acknowledgement.ts';
import { endOf, noLaterThan } from './reconcile-end.ts';
import type { ReconcileEnd } from './reconcile-end.ts';

/** What is remembered of the object that a reconcile is for. */
export interface ParentSeen {
  readonly uid: string | undefined;
  readonly generation: number | undefined;
}

/** The rules of a whole reconcile. The shipped ones are the only ones outside of tests. */
export interface Rules extends ExecutionRules {
  /** Writes in doubt that are read back before the key is planned. */
  readonly resolvedFirst: (inDoubt: readonly InDoubt[]) => readonly InDoubt[];
  /** Whether the plan was made for the spec that is there after it was carried out. */
  readonly isSameSpec: (planned: ParentSeen, found: ParentSeen) => boolean;
  readonly acknowledgesFirst: typeof acknowledgesFirst;
  readonly showsGeneration: typeof showsGeneration;
  /** How a reconcile ends that has only written that the spec was seen. */
  readonly afterAcknowledgement: ReconcileEnd;
  readonly endOf: typeof endOf;
  readonly noLaterThan: typeof noLaterThan;
}

export const shippedRules: Rules = {
  ...executionRules,
  resolvedFirst: (inDoubt) => inDoubt,
  isSameSpec: (planned, found) => planned.uid === found.uid && planned.generation === found.generation,
  acknowledgesFirst,
  showsGeneration,
  afterAcknowledgement: { end: 'done', afterMs: 0 },
  endOf,
  noLaterThan,
};
