import type { EventSubject, Logger } from '@atoll/kube';
import type { ReasonWord } from '@atoll/api';
import type { Hold } from './hold.ts';
import { nameTaken } from './judge.ts';
import { stepId } from './execute.ts';
import { isRefusal } from './refusal.ts';
import type { Outcome, PlannedEvent, Step, StepResult } from './step.ts';

/** The engine's own measurements; names and labels are fixed here, the registry belongs to `main`. */
export interface EngineMetrics {
  /** `atoll_steps_total{controller, step, reason, result}`: one more. */
  step(controller: string, step: Step['do'] | 'status', reason: string, result: string): void;
  /** `atoll_holds{controller, reason}`: how many objects of the controller are held for this reason now. */
  holds(controller: string, reason: ReasonWord, objects: number): void;
}

export const noMetrics: EngineMetrics = { step() {}, holds() {} };

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

/**
 * Tells people and machines what happened, from one place: each step is counted; a failure and a hold is told once, when
 * it appears or changes, and not again in every pass.
 */
export class Announcer {
  readonly #options: AnnouncerOptions;
  readonly #toldFailures = new Map<string, ReadonlySet<string>>();
  readonly #toldHolds = new Map<string, ReadonlySet<ReasonWord>>();
  readonly #held = new Map<string, Map<ReasonWord, number>>();

  constructor(options: AnnouncerOptions) {
    this.#options = options;
  }

  outcome(about: About, outcome: Outcome): void {
    const told = this.#toldFailures.get(idOf(about));
    const present = new Set<string>();
    for (const result of outcome.results) {
      this.#count(about, result);
      for (const failure of failureOf(result)) {
        if (result.did === 'failed' && told?.has(failure) !== true && !present.has(failure))
          this.#failure(about, result);
        present.add(failure);
      }
    }
    if (present.size > 0) this.#toldFailures.set(idOf(about), present);
    else this.#toldFailures.delete(idOf(about));
  }

  holds(about: About, holds: readonly Hold[]): void {
    const told = this.#toldHolds.get(idOf(about)) ?? new Set();
    const present = new Set(holds.map((hold) => hold.reason));
    for (const hold of holds) {
      if (told.has(hold.reason)) continue;
      this.#options.recordEvent(holdEvent(about.subject, hold));
      const { reason, waitsFor, count, targets } = hold;
      this.#options.log.info({ ...logFields(about), reason, waitsFor, count, targets }, 'held');
    }
    this.#replaceHolds(about, present);
  }

  /** What a controller has to say itself. */
  tell(events: readonly PlannedEvent[]): void {
    for (const event of events) this.#options.recordEvent(event);
  }

  /** The key is gone. */
  forget(about: Pick<About, 'controller' | 'key'>): void {
    this.#toldFailures.delete(idOf(about));
    this.#replaceHolds(about, new Set());
  }

  #count(about: About, result: StepResult): void {
    const word = result.did === 'skipped' ? result.because : result.did;
    this.#options.metrics.step(about.controller, result.step.do, result.step.why.word, word);
    if (result.did !== 'done' || result.step.do === 'event') return;
    const { step } = result;
    const fields = { ...logFields(about), step: step.do, target: step.target, reason: step.why.word };
    this.#options.log.info({ ...fields, why: step.why.message }, 'step done');
  }

  #failure(about: About, result: Extract<StepResult, { readonly did: 'failed' }>): void {
    const { step, error } = result;
    const reason = failureWord(result);
    const { code, fate } = error;
    const fields = { ...logFields(about), step: step.do, target: step.target, reason, code, fate };
    this.#options.log.warn({ ...fields, error: error.message }, 'step failed');
    this.#options.recordEvent({
      type: 'Warning',
      regarding: step.regarding ?? about.subject,
      reason: step.eventReason ?? reason,
      action: actionOf(step),
      note: cut(error.message, 1024),
    });
  }

  #replaceHolds(about: Pick<About, 'controller' | 'key'>, present: ReadonlySet<ReasonWord>): void {
    const told = this.#toldHolds.get(idOf(about)) ?? new Set<ReasonWord>();
    const held = this.#held.get(about.controller) ?? new Map<ReasonWord, number>();
    this.#held.set(about.controller, held);
    const change = (reason: ReasonWord, by: number): void => {
      const objects = (held.get(reason) ?? 0) + by;
      held.set(reason, objects);
      this.#options.metrics.holds(about.controller, reason, objects);
    };
    for (const reason of told) if (!present.has(reason)) change(reason, -1);
    for (const reason of present) if (!told.has(reason)) change(reason, 1);
    if (present.size > 0) this.#toldHolds.set(idOf(about), present);
    else this.#toldHolds.delete(idOf(about));
  }
}

/** Names a failure so that its repetition is recognised; the server's message may carry changing numbers. */
function failureOf(result: StepResult): readonly string[] {
  return result.did === 'failed' ? [`${stepId(result.step)} ${result.error.reason}`] : [];
}

/** The catalogue's word for a failed step: the same in condition, event, metric and log. */
export function failureWord(result: Extract<StepResult, { readonly did: 'failed' }>): ReasonWord {
  const { error, step } = result;
  if (error.reason === nameTaken) return 'NameTaken';
  return isRefusal(error) ? (step.ifRefused ?? 'ChildRefused') : 'ServerUnavailable';
}

function holdEvent(subject: EventSubject, hold: Hold): PlannedEvent {
  const named = hold.targets.slice(0, 10).join(', ');
  const more =
    hold.count > Math.min(10, hold.targets.length)
      ? ` and ${hold.count - Math.min(10, hold.targets.length)} more`
      : '';
  const held = hold.count === 0 ? '' : `: ${hold.count} held (${named}${more})`;
  return {
    type: hold.bad || hold.waitsFor === 'person' ? 'Warning' : 'Normal',
    regarding: subject,
    reason: hold.reason,
    action: 'Wait',
    note: cut(`${hold.freedBy}${held}`, 1024),
  };
}

function actionOf(step: Step): string {
  switch (step.do) {
    case 'create':
      return 'Create';
    case 'delete':
      return 'Delete';
    case 'event':
      return 'Wait';
    case 'apply':
    case 'patch':
      return 'Update';
  }
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`;
}

function logFields(about: About): { readonly controller: string; readonly key: string } {
  return { controller: about.controller, key: about.key };
}

function idOf(about: Pick<About, 'controller' | 'key'>): string {
  return `${about.controller} ${about.key}`;
}
