import { conditionTypes, kruiseEventReasons, type ReasonWord } from '@atoll/api';
import { subjectOf } from '../engine/children/owner.ts';
import { conditionMessage, nameAFew } from '../engine/conditions.ts';
import type { Outcome, PlannedEvent, Step } from '../engine/step.ts';
import { childKinds, kindFacts, type ChildKind } from './child-kind.ts';
import { decided } from './decide.ts';
import type { UnitedDeploymentSnapshot } from './observe.ts';

/** What happens seldom and deserves a word of its own each time. */
const rare: readonly ReasonWord[] = ['PodStuck', 'ChildAdopted'];

/** What a pass did, and numbers that cannot be met. */
export function tell(snapshot: UnitedDeploymentSnapshot, outcome: Outcome): readonly PlannedEvent[] {
  return [...numbersTold(snapshot), ...deedsTold(snapshot, outcome)];
}

/** Once for each change of the arithmetic: the status remembers what was told. */
function numbersTold(snapshot: UnitedDeploymentSnapshot): readonly PlannedEvent[] {
  const { effective } = decided(snapshot)?.allocation ?? { effective: { ok: true } as const };
  if (effective.ok) return [];
  const note = conditionMessage(`the numbers of the subsets are ineffective: ${effective.message}`);
  const told = snapshot.owner.object.status?.conditions?.some(
    ({ type, message }) =>
      type === conditionTypes.subsetReplicasEffective && message === conditionMessage(effective.message),
  );
  if (told === true) return [];
  const reason = kruiseEventReasons.failedSpecifySubsetReplicas;
  return [{ type: 'Warning', regarding: subjectOf(snapshot.owner), reason, action: 'Allocate', note }];
}

/** One event for each sort of thing that was done to children, whatever their number. */
function deedsTold(snapshot: UnitedDeploymentSnapshot, outcome: Outcome): readonly PlannedEvent[] {
  const done = outcome.results.flatMap((result) =>
    result.did === 'done' && result.step.target !== undefined ? [result.step] : [],
  );
  const events: PlannedEvent[] = [];
  const say = (verb: Step['do'], action: string, did: string): void => {
    for (const kind of childKinds) {
      const subsets = done
        .filter((step) => step.do === verb && isOf(kind, step))
        .map((step) => step.target ?? '');
      if (subsets.length === 0) continue;
      const note = `${did} ${subsets.length} ${kind}: subsets ${nameAFew(subsets)}`;
      const reason = kruiseEventReasons.successfulUpdateSubset;
      events.push({ type: 'Normal', regarding: subjectOf(snapshot.owner), reason, action, note });
    }
  };
  for (const { step, did } of outcome.results) {
    if (did !== 'done' || !rare.includes(step.why.word)) continue;
    const { word: reason, message: note } = step.why;
    events.push({ type: 'Normal', regarding: subjectOf(snapshot.owner), reason, action: 'Repair', note });
  }
  say('create', 'Create', 'created');
  say('apply', 'Update', 'updated');
  say('delete', 'Delete', 'deleted');
  return events;
}

/** Both StatefulSets are called the same. */
function isOf(kind: ChildKind, step: Step): boolean {
  return 'resource' in step && step.resource === kindFacts[kind].resource;
}
