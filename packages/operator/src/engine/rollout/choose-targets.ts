import type { Instant } from '@atoll/kube';
import { earliestAfter } from '../earliest.ts';
import { nameAFew } from '../status/conditions.ts';
import { allowedBy, spendingOf, type AwayRule, type BudgetRule, type Spending } from './budget.ts';
import { inOrder, unhealthyFirst, type Ranking } from './order.ts';
import { isAtWanted, type Target } from './target.ts';
import type { HeldTargets, HoldRule, TargetHold } from './target-hold.ts';

/** What is to become of one target now. */
export type TargetAnswer =
  /** It runs something else: bring it to the revision. */
  | { readonly do: 'start'; readonly revision: string }
  /** It runs the revision, and is kept at it. */
  | { readonly do: 'keep'; readonly revision: string }
  /** Nothing runs there: make it, of this revision. */
  | { readonly do: 'create'; readonly revision: string }
  /** What runs there stays, and is kept at the revision that it has; where nothing runs, nothing is made. */
  | ({ readonly do: 'hold' } & TargetHold);

/** Answers about targets, by their ids, in the order in which they are to be served. */
export type TargetAnswers = readonly (readonly [id: string, answer: TargetAnswer])[];

/** What bounds a rollout. */
export interface RolloutLimits {
  readonly unavailable: BudgetRule;
  readonly away: AwayRule;
  /** Among what is as healthy: what is unhealthy goes first. */
  readonly order: readonly Ranking[];
  /** Ranks before health: what goes last, however unhealthy it is. */
  readonly last?: Ranking;
  /** A policy's own holds: pauses, exclusions, gates. */
  readonly holds: readonly HoldRule[];
  /** What a target gets where nothing runs and a rule holds it; undefined: nothing is made there. */
  readonly revisionWhileHeld?: string;
  /** How many may be created at once, and when it becomes more; undefined: all. */
  readonly creations?: { readonly atMost: number; readonly moreAt?: Instant | undefined };
  /** For messages: `nodes`; `targets` by default. */
  readonly called?: string;
  /** The shortest interval between two batches of changes; undefined: none. */
  readonly batches?: { readonly everyMs: number };
}

export interface ChosenTargets {
  /** An answer for each target, in the order in which they are to be served. */
  readonly byTarget: ReadonlyMap<string, TargetAnswer>;
  /** When time alone may change an answer. */
  readonly requeueAt: Instant | undefined;
}

export interface TargetsInput {
  readonly targets: readonly Target[];
  /** `all`: everything that differs is changed at once, and what is missing made. */
  readonly limits: 'all' | RolloutLimits;
  readonly now: Instant;
  /** When the last batch of changes was sent; undefined: none was, or the limits have no batches. */
  readonly lastBatchAt?: Instant | undefined;
}

/** What is to become of each target now, within the limits. Pure, and the same in whatever order the targets are listed. */
export function chooseTargets({ targets, limits, now, lastBatchAt }: TargetsInput): ChosenTargets {
  if (limits === 'all') {
    const byTarget = new Map(inOrder(targets, []).map((target) => [target.id, freeAnswer(target)]));
    return { byTarget, requeueAt: undefined };
  }
  const spending = spendingOf(targets, limits, now);
  const { last, order } = limits;
  const ordered = inOrder(targets, [...(last === undefined ? [] : [last]), unhealthyFirst, ...order]);
  const since = { now, lastBatchAt };
  const answers = new Map(ordered.map((target) => [target.id, answerWithoutBudget(target, limits, since)]));
  const open = ordered.filter(({ id }) => answers.get(id) === undefined);
  const started = startedOf(
    open.filter(({ at }) => at !== 'nothing'),
    spending,
  );
  const created = createdOf(
    open.filter(({ at }) => at === 'nothing'),
    limits,
  );
  const full = tooManyUnavailable(limits, spending, started);
  const byTarget = new Map(
    ordered.map((target): [string, TargetAnswer] => {
      const { id, at } = target;
      const answer = answers.get(id);
      if (answer !== undefined) return [id, answer];
      if (started.has(id) || created.has(id)) return [id, freeAnswer(target)];
      return [id, at === 'nothing' ? tooManyCreations(limits) : full];
    }),
  );
  const untils = [...byTarget.values()].map((answer) => (answer.do === 'hold' ? answer.until : undefined));
  return { byTarget, requeueAt: earliestAfter(now, untils) };
}

/** What ends there serves nobody, and what comes after it is awaited. */
export const untilGone: TargetHold = {
  reason: 'BeingDeleted',
  waitsFor: 'time',
  waitingUntil: 'the pod that is being deleted there is gone',
};

/** Nothing is changed on a node that is away. */
export function untilNodeBack({ reach }: Pick<Target, 'reach'>): TargetHold {
  const taint = reach === 'reachable' ? undefined : reach.taint;
  const waitingUntil =
    taint === undefined
      ? 'the node is Ready again'
      : `the taint ${taint} is gone from the node, which is Ready`;
  return { reason: 'NodeNotReady', waitsFor: 'nodes', waitingUntil };
}

/** The targets that are held, with why. */
export function heldTargets(answers: TargetAnswers): HeldTargets {
  return answers.flatMap(([id, answer]) => (answer.do === 'hold' ? [[id, answer] as const] : []));
}

/** What runs there is changed now, or when there is a place for it. */
export function isForItsPlace(answer: TargetAnswer): boolean {
  return (
    answer.do === 'start' ||
    (answer.do === 'hold' && answer.waitsFor !== 'person' && places.has(answer.reason))
  );
}

const places: ReadonlySet<TargetHold['reason']> = new Set([
  'MaxUnavailableReached',
  'BatchInterval',
  'CreationLimitReached',
]);

/** The answer where nothing limits it. */
function freeAnswer(target: Target): TargetAnswer {
  const { at, wanted: revision } = target;
  if (at === 'nothing') return { do: 'create', revision };
  return { do: isAtWanted(target) ? 'keep' : 'start', revision };
}

/** The answer where no budget decides; undefined: it may be started or created if the budget allows. */
function answerWithoutBudget(
  target: Target,
  { holds, revisionWhileHeld, batches }: RolloutLimits,
  { now, lastBatchAt }: Pick<TargetsInput, 'now' | 'lastBatchAt'>,
): TargetAnswer | undefined {
  if (isAtWanted(target)) return freeAnswer(target);
  const held = firstHold(holds, target, now);
  if (held !== undefined) {
    return target.at === 'nothing' && revisionWhileHeld !== undefined
      ? { do: 'create', revision: revisionWhileHeld }
      : { do: 'hold', ...held };
  }
  if (target.at === 'nothing') return undefined;
  // What is being deleted there ends when the node is back.
  if (target.reach !== 'reachable') return { do: 'hold', ...untilNodeBack(target) };
  if (target.health === 'gone') return { do: 'hold', ...untilGone };
  const next = (lastBatchAt ?? -Infinity) + (batches?.everyMs ?? 0);
  if (next > now) return hold('BatchInterval', 'time', 'the interval after the last batch is over', next);
  return undefined;
}

function firstHold(rules: readonly HoldRule[], target: Target, now: Instant): TargetHold | undefined {
  for (const rule of rules) {
    const held = rule(target, now);
    if (held !== undefined) return held;
  }
  return undefined;
}

/** Of the candidates, which are in order, as many as the budget allows. */
function startedOf(candidates: readonly Target[], spending: Spending): ReadonlySet<string> {
  const { unhealthy, healthy } = allowedBy(spending, candidates);
  const ids = candidates.map(({ id }) => id);
  const isSpent = (id: string): boolean => spending.spent.has(id);
  return new Set([
    ...ids.filter(isSpent).slice(0, unhealthy),
    ...ids.filter((id) => !isSpent(id)).slice(0, healthy),
  ]);
}

/** Creating takes nothing down, so only their number is limited. */
function createdOf(missing: readonly Target[], { creations }: RolloutLimits): ReadonlySet<string> {
  return new Set(missing.slice(0, creations?.atMost).map(({ id }) => id));
}

function tooManyUnavailable(
  { called = 'targets' }: RolloutLimits,
  { size, spent, nextExemptAt }: Spending,
  started: ReadonlySet<string>,
): TargetAnswer {
  if (size === 0)
    return hold(
      'MaxUnavailableReached',
      'person',
      'the limit of what may be unavailable, which is 0, is raised',
    );
  const busy = [...new Set([...spent, ...started])];
  const waitingUntil = `the number of ${called} that are unavailable or being changed is below ${size} (now ${busy.length}: ${nameAFew(busy)})`;
  return hold('MaxUnavailableReached', 'health', waitingUntil, nextExemptAt);
}

function tooManyCreations({ creations }: RolloutLimits): TargetAnswer {
  const atMost = creations?.atMost ?? 0;
  // Those that were created a moment ago are taken off already.
  const waitingUntil =
    atMost === 0
      ? 'slow start allows one more to be created'
      : `the number of targets that are being created is below ${atMost}`;
  return hold('CreationLimitReached', 'time', waitingUntil, creations?.moreAt);
}

function hold(
  reason: TargetHold['reason'],
  waitsFor: TargetHold['waitsFor'],
  waitingUntil: string,
  until?: Instant,
): TargetAnswer {
  return { do: 'hold', reason, waitsFor, waitingUntil, ...(until === undefined ? {} : { until }) };
}
