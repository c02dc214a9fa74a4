import { kruiseEventReasons } from '@atoll/api';
import { subjectOf } from '../children/owner.ts';
import { tellDeeds, tellRare, type Telling } from '../children/tell-deeds.ts';
import { conditionMessage } from '../engine/status/conditions.ts';
import type { Outcome, PlannedEvent } from '../engine/step.ts';
import { childKinds, kindFacts } from './child-kind.ts';
import { decided } from './decide.ts';
import type { UnitedDeploymentSnapshot } from './observe.ts';
import { isTold } from './report.ts';

const tellings: readonly Telling[] = [
  telling('create', 'Create', 'created'),
  telling('apply', 'Update', 'updated'),
  telling('delete', 'Delete', 'deleted'),
];

/** What a pass did, and numbers that cannot be met. */
export function tell(snapshot: UnitedDeploymentSnapshot, outcome: Outcome): readonly PlannedEvent[] {
  const { owner } = snapshot;
  return [
    ...numbersTold(snapshot),
    ...tellRare(owner, outcome, ['PodStuck', 'ChildAdopted'], 'Repair'),
    ...tellDeeds(owner, outcome, childKinds, (kind) => kindFacts[kind].resource, tellings),
  ];
}

/** Once for each change of the arithmetic: the status remembers what was told. */
function numbersTold(snapshot: UnitedDeploymentSnapshot): readonly PlannedEvent[] {
  const { effective } = decided(snapshot)?.allocation ?? { effective: { ok: true } as const };
  if (effective.ok || isTold(snapshot.owner.object.status ?? {}, effective)) return [];
  const note = conditionMessage(`the numbers of the subsets are ineffective: ${effective.message}`);
  const reason = kruiseEventReasons.failedSpecifySubsetReplicas;
  return [{ type: 'Warning', regarding: subjectOf(snapshot.owner), reason, action: 'Allocate', note }];
}

function telling(verb: Telling['verb'], action: string, did: string): Telling {
  const note: Telling['note'] = (count, kind, subsets) => `${did} ${count} ${kind}: subsets ${subsets}`;
  return { verb, action, reason: kruiseEventReasons.successfulUpdateSubset, note };
}
