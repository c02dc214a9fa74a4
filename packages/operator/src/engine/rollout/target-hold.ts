import type { Instant } from '@atoll/kube';
import { hold, type Hold } from '../hold.ts';
import type { Target } from './target.ts';

/** Why one target is not changed now. */
export interface TargetHold {
  readonly reason: Hold['reason'];
  readonly waitsFor: Hold['waitsFor'];
  /** Completes "waiting until …". */
  readonly waitingUntil: string;
  /** When time alone ends it; undefined: something has to happen. */
  readonly until?: Instant;
}

/** Targets that are held, by their ids, with why. */
export type HeldTargets = readonly (readonly [id: string, held: TargetHold])[];

/** One link of a policy: the first that answers holds the target. */
export type HoldRule = (target: Target, now: Instant) => TargetHold | undefined;

/** What a person has to do first, and otherwise in the order in which they come. */
export function forPeopleFirst(holds: readonly Hold[]): readonly Hold[] {
  return [
    ...holds.filter(({ waitsFor }) => waitsFor === 'person'),
    ...holds.filter(({ waitsFor }) => waitsFor !== 'person'),
  ];
}

/** Holds of targets as one for each reason and sentence, in the order in which they come. */
export function joinTargetHolds(holds: Iterable<readonly [string, TargetHold]>): readonly Hold[] {
  const alike = new Map<string, { readonly first: TargetHold; readonly ids: string[]; until?: Instant }>();
  for (const [id, each] of holds) {
    const key = `${each.reason} ${each.waitingUntil}`;
    const group = alike.get(key) ?? { first: each, ids: [] };
    group.ids.push(id);
    if (each.until !== undefined) group.until = Math.min(each.until, group.until ?? each.until);
    alike.set(key, group);
  }
  return [...alike.values()].map(({ first, ids, until }) => ({
    ...hold(first.reason, first.waitsFor, ids.sort(), { waitingUntil: first.waitingUntil }, false),
    ...(until === undefined ? {} : { until }),
  }));
}
