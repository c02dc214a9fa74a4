import { oldEventReasons } from '@atoll/api';
import { subjectOf } from '../engine/children/owner.ts';
import { nameAFew } from '../engine/conditions.ts';
import type { Outcome, PlannedEvent, Step } from '../engine/step.ts';
import type { PoolWorkloadSnapshot } from './observe.ts';

/** The old operator told of updates only when they failed; its successor's word is used for those that succeed. */
const updateWorkload = 'Successful UpdateWorkload';

/** One event for each sort of thing that was done to children in a pass, whatever their number. */
export function tell(snapshot: PoolWorkloadSnapshot, outcome: Outcome): readonly PlannedEvent[] {
  const done = outcome.results.flatMap((result) =>
    result.did === 'done' && result.step.target !== undefined ? [result.step] : [],
  );
  const kindOf = (step: Step): string => ('resource' in step ? step.resource.kind : '');
  const events: PlannedEvent[] = [];
  const say = (verb: Step['do'], action: string, reason: string): void => {
    for (const kind of ['Deployment', 'StatefulSet']) {
      const pools = done
        .filter((step) => step.do === verb && kindOf(step) === kind)
        .map((step) => step.target ?? '');
      if (pools.length === 0) continue;
      const note = `${action} ${pools.length} Workload type(${kind}): pools ${nameAFew(pools)}`;
      events.push({ type: 'Normal', regarding: subjectOf(snapshot.owner), reason, action, note });
    }
  };
  say('create', 'Create', oldEventReasons.createWorkload);
  say('apply', 'Update', updateWorkload);
  say('delete', 'Delete', oldEventReasons.deleteWorkload);
  for (const { why } of done) {
    if (why.word !== 'PodStuck') continue;
    const regarding = subjectOf(snapshot.owner);
    events.push({ type: 'Normal', regarding, reason: why.word, action: 'Delete', note: why.message });
  }
  return events;
}
