import { conditionOf } from '@atoll/kube';
import { daemonSetUpdate } from '@atoll/api';
import { subjectOf } from '../children/ownership/owner.ts';
import { counted } from '../engine/problems/counted.ts';
import { nameAFew } from '../engine/status/conditions.ts';
import type { Outcome, PlannedEvent } from '../engine/step.ts';
import type { DaemonSetDecision } from './decide.ts';
import type { DaemonSetSnapshot } from './observe.ts';
import { upToDateStatement } from './up-to-date.ts';

const { upToDate } = daemonSetUpdate.daemonSetConditions;

/** `kubectl describe` shows no conditions of a DaemonSet, so what people need to know is in events. */
export function eventsOf(
  snapshot: DaemonSetSnapshot,
  decision: DaemonSetDecision,
  outcome: Outcome,
): readonly PlannedEvent[] {
  return [...deleted(snapshot, outcome), ...completed(snapshot, decision)];
}

/** One event for the pods that a reconcile deleted, with the reason that the DaemonSet controller uses for the same. */
function deleted({ owner }: DaemonSetSnapshot, { results }: Outcome): readonly PlannedEvent[] {
  const nodes = results.flatMap(({ step, did }) =>
    did === 'done' && step.do === 'delete' && step.target !== undefined ? [step.target] : [],
  );
  if (nodes.length === 0) return [];
  const note = `Deleted ${counted(nodes.length, 'pod')} of other templates: nodes ${nameAFew(nodes)}`;
  return [
    { type: 'Normal', regarding: subjectOf(owner), reason: 'SuccessfulDelete', action: 'Delete', note },
  ];
}

/** One event when a rollout has come to its end: while our condition shows that it has not. */
function completed({ owner }: DaemonSetSnapshot, { upgrade }: DaemonSetDecision): readonly PlannedEvent[] {
  const before = conditionOf(owner.object, upToDate)?.status;
  if (upgrade?.latest === undefined || before === undefined || before === 'True') return [];
  const { status, reason, message: note } = upToDateStatement(upgrade, undefined);
  if (status !== 'True') return [];
  return [{ type: 'Normal', regarding: subjectOf(owner), reason, action: 'Reconcile', note }];
}
