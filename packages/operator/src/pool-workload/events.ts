import { oldEventReasons } from '@atoll/api';
import { eventsOfSteps, rareEvents, type EventTemplate } from '../children/events-of-steps.ts';
import type { Outcome, PlannedEvent } from '../engine/step.ts';
import { poolPlaces } from './child.ts';
import type { PoolWorkloadSnapshot } from './observe.ts';

const { createWorkload, deleteWorkload } = oldEventReasons;
/** The old operator recorded updates only when they failed; its successor's word is used for those that succeed. */
const updateWorkload = 'Successful UpdateWorkload';

const eventTemplates: readonly EventTemplate[] = [
  eventTemplate('create', 'Create', createWorkload),
  eventTemplate('apply', 'Update', updateWorkload),
  eventTemplate('delete', 'Delete', deleteWorkload),
];

/** What a reconcile did to children. */
export function eventsOf({ owner }: PoolWorkloadSnapshot, outcome: Outcome): readonly PlannedEvent[] {
  return [
    ...eventsOfSteps(owner, outcome, poolPlaces.childKinds, poolPlaces.resourceOf, eventTemplates),
    ...rareEvents(owner, outcome, ['PodStuck'], 'Delete'),
    ...rareEvents(owner, outcome, ['ChildAdopted'], 'Adopt'),
  ];
}

function eventTemplate(verb: EventTemplate['verb'], action: string, reason: string): EventTemplate {
  const note: EventTemplate['note'] = (count, kind, pools) =>
    `${action} ${count} Workload type(${kind}): pools ${pools}`;
  return { verb, action, reason, note };
}
