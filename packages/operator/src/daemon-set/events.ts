import { subjectOf } from '../children/ownership/owner.ts';
import { nameAFew } from '../engine/status/conditions.ts';
import type { Outcome, PlannedEvent } from '../engine/step.ts';
import type { DaemonSetSnapshot } from './observe.ts';

/** One event for the pods that a reconcile deleted, with the reason that the DaemonSet controller uses for the same. */
export function eventsOf({ owner }: DaemonSetSnapshot, { results }: Outcome): readonly PlannedEvent[] {
  const nodes = results.flatMap(({ step, did }) =>
    did === 'done' && step.do === 'delete' && step.target !== undefined ? [step.target] : [],
  );
  if (nodes.length === 0) return [];
  const pods = nodes.length === 1 ? 'pod' : 'pods';
  const note = `Deleted ${nodes.length} ${pods} of older templates: nodes ${nameAFew(nodes)}`;
  return [
    { type: 'Normal', regarding: subjectOf(owner), reason: 'SuccessfulDelete', action: 'Delete', note },
  ];
}
