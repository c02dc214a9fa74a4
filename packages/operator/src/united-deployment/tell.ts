import { kruiseEventReasons } from '@atoll/api';
import { subjectOf } from '../children/owner.ts';
import { tellDeeds, tellRare, type Telling } from '../children/tell-deeds.ts';
import { conditionMessage } from '../engine/status/conditions.ts';
import type { Outcome, PlannedEvent } from '../engine/step.ts';
import { childKinds, kindFacts } from './child-kind.ts';
import type { UnitedDeploymentDecision } from './decision.ts';
import type { Owner, UnitedDeploymentSnapshot } from './observe.ts';
import { isTold } from './report.ts';

const tellings: readonly Telling[] = [
  telling('create', 'Create', 'created'),
  telling('apply', 'Update', 'updated'),
  telling('delete', 'Delete', 'deleted'),
];

/** What a pass did, and numbers that cannot be met. */
export function tell(
  { owner }: UnitedDeploymentSnapshot,
  decision: UnitedDeploymentDecision,
  outcome: Outcome,
): readonly PlannedEvent[] {
  return [
    ...numbersTold(owner, decision),
    ...tellRare(owner, outcome, ['PodStuck', 'ChildAdopted'], 'Repair'),
    ...tellDeeds(owner, outcome, childKinds, (kind) => kindFacts[kind].resource, tellings),
  ];
}

/** Once for each change of the arithmetic: the status remembers what was told. */
function numbersTold(owner: Owner, { decided }: UnitedDeploymentDecision): readonly PlannedEvent[] {
  if (decided === undefined) return [];
  const { effective } = decided.allocation;
  if (effective.ok || isTold(owner.object.status ?? {}, effective)) return [];
  const note = conditionMessage(`the numbers of the subsets are ineffective: ${effective.message}`);
  const reason = kruiseEventReasons.failedSpecifySubsetReplicas;
  return [{ type: 'Warning', regarding: subjectOf(owner), reason, action: 'Allocate', note }];
}

function telling(verb: Telling['verb'], action: string, did: string): Telling {
  const note: Telling['note'] = (count, kind, subsets) => `${did} ${count} ${kind}: subsets ${subsets}`;
  return { verb, action, reason: kruiseEventReasons.successfulUpdateSubset, note };
}
