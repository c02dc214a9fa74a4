import type { EventSubject, Logger } from '@atoll/kube';
import type { ReasonWord } from '@atoll/api';
import { describeCause, describeHold } from './problems/describe-hold.ts';
import { failureWord } from './problems/failure-word.ts';
import type { Hold } from './hold.ts';
import { stepId } from './executor/step-id.ts';
import { triedIn, trialOf, whatIsGoneBy } from './refused-trials.ts';
import type { Outcome, PlannedEvent, Step, StepResult } from './step.ts';

/** The engine's own measurements; names and labels are fixed here, the registry belongs to `main`. */
export interface EngineMetrics {
  /** `atoll_steps_total{controller, step, reason, result}`: so many more. */
  steps(controller: string, step: Step['do'], reason: string, result: string, count: number): void;
  /** `atoll_holds{controller, reason}`: how many objects of the controller are held for this reason now. */
  holds(controller: string, reason: ReasonWord, objects: number): void;
  /** `atoll_object_held{…}`: why the object of this key is held now, each with whether something is wrong. */
  held(controller: string, key: string, reasons: ReadonlyMap<ReasonWord, boolean>): void;
}

export interface AnnouncerOptions {
  readonly log: Logger;
  readonly metrics: EngineMetrics;
  readonly recordEvent: (event: PlannedEvent) => void;
}

/** Whom an announcement is about. */
export interface About {
  readonly controller: string;
  readonly key: string;
  readonly subject: EventSubject;
}

/** By the name of each failure its reason, and the trial that was refused, if it is one. */
type RecordedFailures = ReadonlyMap<
  string,
  { readonly trial: string | undefined; readonly reason: ReasonWord }
>;

type HeldByReason = ReadonlyMap<ReasonWord, ReadonlySet<string>>;

type Failed = Extract<StepResult, { readonly did: 'failed' }>;

/** So many of those that a log line is about are named in it. */
const namedInLog = 10;

/** So many of those that are held are named in an event. */
const namedInEvent = 10;

/**
 * Reports what happened as events, metrics and log lines, from one place: each step is counted; what was done for one reason is one line of the
 * log, also for a thousand children; a failure and a hold are recorded once, when it appears or changes, and not again in every reconcile.
 */
export class Announcer {
  readonly #options: AnnouncerOptions;
  readonly #recordedFailures = new Map<string, RecordedFailures>();
  /** By key and reason the uids of what is held. */
  readonly #recordedHolds = new Map<string, HeldByReason>();
  /** By key and reason how many objects are counted. */
  readonly #counted = new Map<string, ReadonlyMap<ReasonWord, number>>();
  readonly #held = new Map<string, Map<ReasonWord, number>>();

  constructor(options: AnnouncerOptions) {
    this.#options = options;
  }

  /** `remembers`: those of the plan. */
  outcome(about: About, outcome: Outcome, remembers?: readonly string[]): void {
    const recorded = this.#recordedFailures.get(idOf(about));
    const present = new Map(stillRefused(recorded, outcome, remembers));
    for (const alike of groupAlike(outcome.results)) this.#record(about, alike);
    for (const result of outcome.results) {
      if (result.did !== 'failed') continue;
      const { step } = result;
      const name = nameOf(result, about);
      if (recorded?.has(name) !== true && !present.has(name)) this.#failure(about, result);
      present.set(name, { trial: trialOf(step), reason: failureWord(result) });
    }
    if (present.size > 0) this.#recordedFailures.set(idOf(about), present);
    else this.#recordedFailures.delete(idOf(about));
  }

  /** After the outcome of the same plan: what the API server refuses is held by it. */
  holds(about: About, holds: readonly Hold[]): void {
    const recorded = this.#recordedHolds.get(idOf(about));
    const present = new Map<ReasonWord, ReadonlySet<string>>();
    for (const hold of holds) {
      const { reason, waitsFor, count, targets, causeOf, regarding, passing } = hold;
      const before = recorded?.get(reason);
      const subjects = regarding ?? [about.subject];
      present.set(reason, new Set(subjects.map(({ uid }) => uid)));
      if (passing === true) continue;
      for (const subject of subjects) {
        if (before?.has(subject.uid) !== true) this.#options.recordEvent(holdEvent(subject, hold));
      }
      if (before !== undefined) continue;
      const why = causeOf === undefined ? describeCause(hold) : `${causeOf}: ${describeCause(hold)}`;
      this.#options.log.info({ ...logFields(about), reason, waitsFor, why, count, targets }, 'held');
    }
    if (present.size > 0) this.#recordedHolds.set(idOf(about), present);
    else this.#recordedHolds.delete(idOf(about));
    const reasons = new Map(holds.map(({ reason }) => [reason, false]));
    for (const { reason, bad } of holds) if (bad) reasons.set(reason, true);
    for (const { reason } of this.#recordedFailures.get(idOf(about))?.values() ?? [])
      reasons.set(reason, true);
    this.#show(about, reasons, present);
  }

  /** The reconcile failed before it was known what is held. What was recorded is not recorded again when that is known. */
  reconcileFailed(about: Pick<About, 'controller' | 'key'>): void {
    this.#show(about, new Map([['ReconcileFailed', true]]));
  }

  /** Events of the controller itself. */
  record(events: readonly PlannedEvent[]): void {
    for (const event of events) this.#options.recordEvent(event);
  }

  /** The key is gone. */
  forget(about: Pick<About, 'controller' | 'key'>): void {
    this.#recordedFailures.delete(idOf(about));
    this.#recordedHolds.delete(idOf(about));
    this.#show(about, new Map());
  }

  #record(about: About, alike: readonly [StepResult, ...StepResult[]]): void {
    const [{ step, did }] = alike;
    const count = alike.length;
    this.#options.metrics.steps(about.controller, step.do, step.why.word, wordOf(alike[0]), count);
    if (did !== 'done' || step.do === 'event') return;
    const targets = alike.slice(0, namedInLog).flatMap((each) => each.step.target ?? []);
    const fields = { ...logFields(about), step: step.do, reason: step.why.word, count, targets };
    this.#options.log.info({ ...fields, why: step.why.message }, 'steps done');
  }

  #failure(about: About, result: Failed): void {
    const { step, error } = result;
    const reason = failureWord(result);
    const { code, fate } = error;
    const fields = { ...logFields(about), step: step.do, target: step.target, reason, code, fate };
    const { log } = this.#options;
    // While its namespace is being deleted it is expected, and the event would be refused too.
    const isExpected = error.namespaceTerminating;
    log[isExpected ? 'debug' : 'warn']({ ...fields, error: error.message }, 'step failed');
    if (isExpected) return;
    this.#options.recordEvent({
      type: 'Warning',
      regarding: step.regarding ?? about.subject,
      reason: step.eventReason ?? reason,
      action: actionOf(step),
      note: error.message,
    });
  }

  /** `held`: by reason the uids of what is held; for another reason it is the object of the key alone. */
  #show(
    about: Pick<About, 'controller' | 'key'>,
    reasons: ReadonlyMap<ReasonWord, boolean>,
    held?: HeldByReason,
  ): void {
    this.#count(about, new Map([...reasons.keys()].map((reason) => [reason, held?.get(reason)?.size ?? 1])));
    this.#options.metrics.held(about.controller, about.key, reasons);
  }

  #count(about: Pick<About, 'controller' | 'key'>, counts: ReadonlyMap<ReasonWord, number>): void {
    const counted = this.#counted.get(idOf(about)) ?? new Map<ReasonWord, number>();
    const held = this.#held.get(about.controller) ?? new Map<ReasonWord, number>();
    this.#held.set(about.controller, held);
    for (const reason of new Set([...counted.keys(), ...counts.keys()])) {
      const more = (counts.get(reason) ?? 0) - (counted.get(reason) ?? 0);
      if (more === 0) continue;
      const objects = (held.get(reason) ?? 0) + more;
      held.set(reason, objects);
      this.#options.metrics.holds(about.controller, reason, objects);
    }
    if (counts.size > 0) this.#counted.set(idOf(about), counts);
    else this.#counted.delete(idOf(about));
  }
}

/** Of trials that were refused some are tried at a time, in turn: what was recorded of the others that the plan goes by is as it was. */
function stillRefused(
  recorded: RecordedFailures = new Map(),
  { results }: Outcome,
  remembers: readonly string[] | undefined,
): RecordedFailures {
  const tried = triedIn(results);
  const goesBy = whatIsGoneBy(tried, remembers);
  return new Map(
    [...recorded].filter(([, { trial }]) => trial !== undefined && !tried.has(trial) && goesBy(trial)),
  );
}

/** Those of which the same is counted, in the order in which the first of each stands. */
function groupAlike(results: readonly StepResult[]): Iterable<readonly [StepResult, ...StepResult[]]> {
  const groups = new Map<string, [StepResult, ...StepResult[]]>();
  for (const result of results) {
    const id = `${result.step.do} ${result.step.why.word} ${wordOf(result)}`;
    const group = groups.get(id);
    if (group === undefined) groups.set(id, [result]);
    else group.push(result);
  }
  return groups.values();
}

function wordOf(result: StepResult): string {
  if (result.did === 'skipped') return result.because;
  return result.did === 'failed' && result.heldBack === true ? 'held-back' : result.did;
}

/**
 * Names a failure so that its repetition is recognised: the server's message may carry numbers that change. An object that is made anew under
 * the same name has none of its events yet.
 */
function nameOf({ step, error: { reason, message } }: Failed, { subject }: About): string {
  const { uid } = step.regarding ?? subject;
  return `${uid} ${stepId(step)} ${reason} ${message.replaceAll(/\d+/g, '0')}`;
}

function holdEvent(subject: EventSubject, hold: Hold): PlannedEvent {
  // An event on one of the held objects is about that object alone.
  const note = hold.regarding === undefined ? describeHold(hold, namedInEvent) : describeCause(hold);
  return {
    type: hold.bad || hold.waitsFor === 'person' ? 'Warning' : 'Normal',
    regarding: subject,
    reason: hold.reason,
    action: 'Wait',
    note,
  };
}

function actionOf(step: Step): string {
  switch (step.do) {
    case 'create':
      return 'Create';
    case 'try':
      return step.uid === undefined ? 'Create' : 'Update';
    case 'delete':
      return 'Delete';
    case 'event':
      return 'Wait';
    case 'apply':
    case 'patch':
    case 'conditions':
      return 'Update';
  }
}

function logFields(about: About): { readonly controller: string; readonly key: string } {
  return { controller: about.controller, key: about.key };
}

function idOf(about: Pick<About, 'controller' | 'key'>): string {
  return `${about.controller} ${about.key}`;
}
