import { extendedDaemonSetEventReasons, type ReasonWord } from '@atoll/api';
import { pods } from '@atoll/kube';
import { rareEvents } from '../children/events-of-steps.ts';
import { subjectOf } from '../children/ownership/owner.ts';
import { counted } from '../engine/problems/counted.ts';
import { nameAFew } from '../engine/status/conditions.ts';
import type { Outcome, PlannedEvent } from '../engine/step.ts';
import type { ExtendedDaemonSetSnapshot } from './observe.ts';

const seldom: readonly ReasonWord[] = [
  'CanaryPromoted',
  'CanaryEnded',
  'TemplateReverted',
  'ReplicaSetObsolete',
  'ChildAdopted',
];

/** One event for each sort of thing that was done in a reconcile. */
export function eventsOf({ owner }: ExtendedDaemonSetSnapshot, outcome: Outcome): readonly PlannedEvent[] {
  if (owner === undefined) return [];
  const regarding = subjectOf(owner);
  const events: PlannedEvent[] = [...rareEvents(owner, outcome, seldom, 'Reconcile')];
  const done = outcome.results.flatMap(({ step, did }) => (did === 'done' ? [step] : []));
  for (const step of done) {
    if (step.do !== 'create' || step.why.word !== 'ReplicaSetCreated') continue;
    const { namespace = '', name } = step.object.metadata;
    const reason = extendedDaemonSetEventReasons.createReplicaSet;
    events.push({ type: 'Normal', regarding, reason, action: 'Create', note: `${namespace}/${name}` });
  }
  for (const step of done) {
    if (step.why.word !== 'PodTemplateOutdated') continue;
    const action = step.do === 'create' ? 'Create' : 'Update';
    events.push({
      type: 'Normal',
      regarding,
      reason: step.eventReason ?? action,
      action,
      note: step.why.message,
    });
  }
  for (const [verb, reason, action, title] of [
    ['create', 'SuccessfulCreate', 'Create', 'Created'],
    ['delete', 'SuccessfulDelete', 'Delete', 'Deleted'],
  ] as const) {
    const nodes = done.flatMap((step) =>
      step.do === verb && step.resource === pods && step.target !== undefined ? [step.target] : [],
    );
    if (nodes.length === 0) continue;
    const note = `${title} ${counted(nodes.length, 'pod')}: nodes ${nameAFew(nodes)}`;
    events.push({ type: 'Normal', regarding, reason, action, note });
  }
  return events;
}
