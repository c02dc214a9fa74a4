import type { ReasonWord } from '@atoll/api';
import type { KubeObject, Resource } from '@atoll/kube';
import { nameAFew } from '../engine/status/conditions.ts';
import type { Outcome, PlannedEvent, Step } from '../engine/step.ts';
import { subjectOf, type ChildOwner } from './ownership/owner.ts';

/** The event of one sort of step. */
export interface EventTemplate {
  readonly verb: Step['do'];
  readonly action: string;
  /** The reason of the event. */
  readonly reason: string;
  /** `kind`: of the children; `places`: a few of them, by name. */
  readonly note: (count: number, kind: string, places: string) => string;
}

/** One event for each sort of thing that was done to children in a reconcile, and for each of their kinds, whatever their number. */
export function eventsOfSteps<Kind extends string>(
  owner: ChildOwner,
  outcome: Outcome,
  kinds: readonly Kind[],
  resourceOf: (kind: Kind) => Resource<KubeObject>,
  eventTemplates: readonly EventTemplate[],
): readonly PlannedEvent[] {
  const done = stepsDone(outcome);
  return eventTemplates.flatMap(({ verb, action, reason, note }) =>
    kinds.flatMap((kind): readonly PlannedEvent[] => {
      const resource = resourceOf(kind);
      const places = done.flatMap((step) =>
        step.do === verb && 'resource' in step && step.resource === resource && step.target !== undefined
          ? [step.target]
          : [],
      );
      if (places.length === 0) return [];
      const text = note(places.length, kind, nameAFew(places));
      return [{ type: 'Normal', regarding: subjectOf(owner), reason, action, note: text }];
    }),
  );
}

/** An event of its own for each of those that happen seldom, with why it was done. */
export function rareEvents(
  owner: ChildOwner,
  outcome: Outcome,
  words: readonly ReasonWord[],
  action: string,
): readonly PlannedEvent[] {
  const rare = stepsDone(outcome).filter(({ why }) => words.includes(why.word));
  return rare.map(({ why: { word: reason, message: note } }) => ({
    type: 'Normal',
    regarding: subjectOf(owner),
    reason,
    action,
    note,
  }));
}

function stepsDone({ results }: Outcome): readonly Step[] {
  return results.flatMap((result) => (result.did === 'done' ? [result.step] : []));
}
