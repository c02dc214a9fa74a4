import { oldEventReasons } from '@atoll/api';
import { tellDeeds, tellRare, type Telling } from '../children/tell-deeds.ts';
import type { Outcome, PlannedEvent } from '../engine/step.ts';
import { poolPlaces } from './child.ts';
import type { PoolWorkloadSnapshot } from './observe.ts';

const { createWorkload, deleteWorkload } = oldEventReasons;
/** The old operator told of updates only when they failed; its successor's word is used for those that succeed. */
const updateWorkload = 'Successful UpdateWorkload';

const tellings: readonly Telling[] = [
  telling('create', 'Create', createWorkload),
  telling('apply', 'Update', updateWorkload),
  telling('delete', 'Delete', deleteWorkload),
];

/** What a pass did to children. */
export function tell({ owner }: PoolWorkloadSnapshot, outcome: Outcome): readonly PlannedEvent[] {
  return [
    ...tellDeeds(owner, outcome, poolPlaces.childKinds, poolPlaces.resourceOf, tellings),
    ...tellRare(owner, outcome, ['PodStuck'], 'Delete'),
  ];
}

function telling(verb: Telling['verb'], action: string, reason: string): Telling {
  const note: Telling['note'] = (count, kind, pools) =>
    `${action} ${count} Workload type(${kind}): pools ${pools}`;
  return { verb, action, reason, note };
}
