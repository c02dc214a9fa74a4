import { kruiseEventReasons } from '@atoll/api';
import { subjectOf } from '../children/ownership/owner.ts';
import { eventsOfSteps, rareEvents, type EventTemplate } from '../children/events-of-steps.ts';
import { conditionMessage } from '../engine/status/conditions.ts';
import type { Outcome, PlannedEvent } from '../engine/step.ts';
import { childKinds, kindFacts } from './subsets/child-kind.ts';
import type { UnitedDeploymentDecision } from './decision.ts';
import type { Owner, UnitedDeploymentSnapshot } from './observe.ts';
import { isReported } from './report.ts';

const eventTemplates: readonly EventTemplate[] = [
  eventTemplate('create', 'Create', 'created'),
  eventTemplate('apply', 'Update', 'updated'),
  eventTemplate('delete', 'Delete', 'deleted'),
];

/** What a reconcile did, and numbers that cannot be met. */
export function eventsOf(
  { owner }: UnitedDeploymentSnapshot,
  decision: UnitedDeploymentDecision,
  outcome: Outcome,
): readonly PlannedEvent[] {
  return [
    ...eventOfNumbers(owner, decision),
    ...rareEvents(owner, outcome, ['PodStuck', 'ChildAdopted'], 'Repair'),
    ...eventsOfSteps(owner, outcome, childKinds, (kind) => kindFacts[kind].resource, eventTemplates),
  ];
}

/** Once for each change of the arithmetic: the status shows what was recorded. */
function eventOfNumbers(owner: Owner, { decided }: UnitedDeploymentDecision): readonly PlannedEvent[] {
  if (decided === undefined) return [];
  const { effective } = decided.allocation;
  if (effective.ok || isReported(owner.object.status ?? {}, effective)) return [];
  const note = conditionMessage(`the numbers of the subsets are ineffective: ${effective.message}`);
  const reason = kruiseEventReasons.failedSpecifySubsetReplicas;
  return [{ type: 'Warning', regarding: subjectOf(owner), reason, action: 'Allocate', note }];
}

function eventTemplate(verb: EventTemplate['verb'], action: string, did: string): EventTemplate {
  const note: EventTemplate['note'] = (count, kind, subsets) => `${did} ${count} ${kind}: subsets ${subsets}`;
  return { verb, action, reason: kruiseEventReasons.successfulUpdateSubset, note };
}
