import type { EventSubject, Instant } from '@atoll/kube';
import type { ReasonWord } from '@atoll/api';

/** A decision not to move, as data (`reference/conditions.md`). */
export interface Hold {
  readonly reason: ReasonWord;
  readonly waitsFor: 'person' | 'time' | 'health' | 'nodes' | 'quota';
  /** Names of what is held: at most 50, sorted. */
  readonly targets: readonly string[];
  /** How many are held, exactly. */
  readonly count: number;
  readonly since?: Instant;
  readonly until?: Instant;
  /** What a person would have to do or what has to happen, in one clause: `the quota "small" allows more pods`. */
  readonly freedBy: string;
  /** The objects that are held, each of which gets the event, where the plan's own object does not exist. */
  readonly regarding?: readonly EventSubject[];
  /** Something is wrong, as opposed to merely not done yet: turns Degraded True when it lasts 60 s. */
  readonly bad: boolean;
}

const listedTargets = 50;

/** A hold without times; of the targets, which are sorted, it names as many as a hold may. */
export function hold(
  reason: ReasonWord,
  waitsFor: Hold['waitsFor'],
  targets: readonly string[],
  freedBy: string,
  bad: boolean,
): Hold {
  return { reason, waitsFor, targets: targets.slice(0, listedTargets), count: targets.length, freedBy, bad };
}

/** Holds of single targets, those for the same reason as one; the first of them tells what frees it. */
export function joinHolds(holds: readonly Hold[]): readonly Hold[] {
  const alike = new Map<string, { readonly first: Hold; readonly targets: string[] }>();
  for (const each of holds) {
    const id = `${each.reason} ${each.bad}`;
    const group = alike.get(id) ?? { first: each, targets: [] };
    group.targets.push(...each.targets);
    alike.set(id, group);
  }
  return [...alike.values()].map(({ first: { reason, waitsFor, freedBy, bad }, targets }) =>
    hold(reason, waitsFor, targets.sort(), freedBy, bad),
  );
}
