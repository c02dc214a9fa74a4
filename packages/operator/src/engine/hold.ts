import { compareTexts } from '@atoll/kube';
import type { EventSubject, Instant } from '@atoll/kube';
import type { ReasonWord } from '@atoll/api';

/** A decision not to move, as data (`reference/conditions.md`). `describeHold` writes the message for people. */
export interface Hold extends HoldCause {
  readonly reason: ReasonWord;
  readonly waitsFor: 'person' | 'time' | 'health' | 'nodes' | 'quota';
  /** Names of what is held: at most 50, sorted. */
  readonly targets: readonly string[];
  /** How many are held, exactly. */
  readonly count: number;
  /** The target that the cause is of, where the causes of the others read differently. */
  readonly causeOf?: string;
  readonly since?: Instant;
  readonly until?: Instant;
  /** The objects that are held, each of which gets the event, where the plan's own object does not exist. */
  readonly regarding?: readonly EventSubject[];
  /** Something is wrong, as opposed to merely not done yet: turns Degraded True when it lasts 60 s. */
  readonly bad: boolean;
  /** Bad, but it may still pass by itself: never turns Stalled True. */
  readonly mayPass?: true;
  /** Every rollout passes through it: conditions and metrics show it, and no event or log line each time. */
  readonly passing?: true;
}

/** Why something is held; every hold has at least one of the two. */
export interface HoldCause {
  /** What is wrong and what to do, as sentences: `the pool has no nodes. Add one`. */
  readonly problem?: string;
  /** Completes "waiting until …": `the pods are available`. */
  readonly waitingUntil?: string;
}

const listedTargets = 50;

/** A hold without times; of the targets, which are sorted, it names as many as a hold may. */
export function hold(
  reason: ReasonWord,
  waitsFor: Hold['waitsFor'],
  targets: readonly string[],
  cause: { readonly problem: string } | { readonly waitingUntil: string },
  bad: boolean,
): Hold {
  return { ...counted(targets), reason, waitsFor, ...cause, bad };
}

function counted(targets: readonly string[]): Pick<Hold, 'targets' | 'count'> {
  return { targets: targets.slice(0, listedTargets), count: targets.length };
}

/** Holds of single targets, those for the same reason as one, with the cause of the first target. */
export function joinHolds(holds: readonly Hold[]): readonly Hold[] {
  const alike = new Map<string, [Hold, ...Hold[]]>();
  for (const each of holds) {
    const id = `${each.reason} ${each.bad} ${each.mayPass === true}`;
    const group = alike.get(id);
    if (group === undefined) alike.set(id, [each]);
    else group.push(each);
  }
  return [...alike.values()].map(joined);
}

function joined(group: readonly [Hold, ...Hold[]]): Hold {
  const [first] = group.toSorted(byFirstTarget) as [Hold];
  const { reason, waitsFor, problem, waitingUntil, bad, mayPass } = first;
  const cause = {
    ...(problem === undefined ? {} : { problem }),
    ...(waitingUntil === undefined ? {} : { waitingUntil }),
  };
  const differ = group.some((each) => each.problem !== problem || each.waitingUntil !== waitingUntil);
  const causeOf = differ ? first.targets[0] : undefined;
  return {
    ...counted(group.flatMap(({ targets }) => targets).sort()),
    ...(causeOf === undefined ? {} : { causeOf }),
    reason,
    waitsFor,
    ...cause,
    bad,
    ...(mayPass === undefined ? {} : { mayPass }),
  };
}

function byFirstTarget({ targets: [a = ''] }: Hold, { targets: [b = ''] }: Hold): number {
  return compareTexts(a, b);
}

/** Nothing is decided before everything that a decision depends on was read. */
export const cachesNotSynced: Hold = hold(
  'NotYetObserved',
  'time',
  [],
  { waitingUntil: "the operator's caches have synced" },
  false,
);
