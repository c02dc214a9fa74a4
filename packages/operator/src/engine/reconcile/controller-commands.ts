import { parseKey } from '@atoll/kube';
import type { EventSubject, Instant, ObjectKey } from '@atoll/kube';
import type { Controller, StatusWrite } from '../controller.ts';
import type { RefusedSteps } from '../executor/answers/refusals.ts';
import type { Plan } from '../plan.ts';
import type { RefusedTrials } from '../refused-trials.ts';
import type { Outcome } from '../step.ts';
import { guarded } from './guarded.ts';
import type { ControllerCommand, ControllerEvent } from './machine.ts';
import type { ReconcileDeps } from './reconcile-deps.ts';
import { statusPlan } from './status-plan.ts';
import { subjectOf } from './subject-of.ts';

interface Decided<Snapshot, Decision> {
  readonly snapshot: Snapshot;
  readonly decision: Decision;
}

interface Planned<Snapshot, Decision> extends Decided<Snapshot, Decision> {
  readonly plan: Plan;
}

/** Carries out what the machine of one reconcile asks of its controller, and has what was observed and planned for the next command. */
export class ControllerCommands<Snapshot, Decision> {
  readonly #controller: Controller<Snapshot, Decision>;
  readonly #key: string;
  readonly #objectKey: ObjectKey;
  readonly #deps: ReconcileDeps;
  #snapshot: Snapshot | undefined;
  #planned: Planned<Snapshot, Decision> | undefined;
  #subject: EventSubject;
  /** Writes of the status that were begun last. */
  #going: readonly StatusWrite[] = [];

  constructor(controller: Controller<Snapshot, Decision>, key: string, deps: ReconcileDeps) {
    this.#controller = controller;
    this.#key = key;
    this.#objectKey = parseKey(key);
    this.#deps = deps;
    this.#subject = subjectOf(controller.resource, this.#objectKey, undefined);
  }

  carryOut(command: ControllerCommand): ControllerEvent | undefined {
    switch (command.command) {
      case 'observe':
        return this.#observe(command.refused);
      case 'plan':
        return this.#plan();
      case 'announce':
        if (command.of === 'status') this.#announceStatus(command.outcome);
        else this.#announcePlan(command.outcome);
        return undefined;
      case 'report':
        return this.#report(command.outcome);
    }
  }

  #observe(refused: RefusedTrials): ControllerEvent {
    this.#snapshot = this.#timed(() => this.#controller.observe(this.#objectKey, refused));
    return { event: 'observed', there: this.#snapshot !== undefined };
  }

  #plan(): ControllerEvent {
    const { resource } = this.#controller;
    const parent = this.#deps.cacheOf(resource)?.get(this.#objectKey);
    this.#subject = subjectOf(resource, this.#objectKey, parent);
    const plan = this.#timed(() => {
      const now = this.#deps.clock.now();
      const decided = this.#decide(now);
      const wanted = this.#controller.plan(decided.snapshot, decided.decision, now);
      const bound = guarded(wanted, resource, this.#objectKey, parent);
      this.#planned = { ...decided, plan: bound };
      return bound;
    });
    const othersWait = this.#deps.othersWait?.() ?? false;
    return { event: 'planned', plan, heldBack: heldBackOf(this.#key, plan, this.#deps), othersWait };
  }

  #report(outcome: Outcome): ControllerEvent {
    const { clock, pace } = this.#deps;
    const now = clock.now();
    return this.#timed((): ControllerEvent => {
      const { snapshot, decision } = this.#decide(now);
      const wanted = this.#controller.report(snapshot, decision, outcome, now);
      const paced = pace?.sort(wanted, now) ?? { now: wanted, nextAt: undefined };
      this.#going = paced.now;
      return { event: 'reported', writes: statusPlan(paced.now), nextAt: paced.nextAt };
    });
  }

  #announcePlan(outcome: Outcome): void {
    if (this.#planned === undefined) return;
    const { announcer, inspections } = this.#deps;
    const { snapshot, decision, plan } = this.#planned;
    const { name } = this.#controller;
    const about = { controller: name, key: this.#key, subject: this.#subject };
    announcer.outcome(about, outcome, plan.remembers);
    announcer.holds(about, plan.holds);
    inspections?.want(name, this.#key, plan.inspect ?? []);
    announcer.record(this.#controller.events?.(snapshot, decision, outcome) ?? []);
  }

  #announceStatus(outcome: Outcome): void {
    const { announcer, clock, pace } = this.#deps;
    pace?.answered(this.#going, outcome, clock.now());
    const about = { controller: this.#controller.name, key: statusKey(this.#key), subject: this.#subject };
    announcer.outcome(about, outcome);
  }

  /** For what was observed last: once for each snapshot. */
  #decide(now: Instant): Decided<Snapshot, Decision> {
    const snapshot = this.#snapshot;
    if (snapshot === undefined) throw new Error(`nothing was observed of ${this.#key}`);
    if (this.#planned?.snapshot === snapshot) return this.#planned;
    return { snapshot, decision: this.#controller.decide(snapshot, now) };
  }

  #timed<T>(compute: () => T): T {
    const { clock, computed } = this.#deps;
    const since = clock.processorMs();
    const result = compute();
    computed?.(clock.processorMs() - since);
    return result;
  }
}

/** What is announced of the writes of a key's status goes by a key of its own. */
export function statusKey(key: string): string {
  return `${key} status`;
}

/** Steps of the plan that are not to be sent yet. */
function heldBackOf(
  key: string,
  plan: Plan,
  { refusals, changedBack, clock }: ReconcileDeps,
): RefusedSteps | undefined {
  const at = clock.monotonic();
  const refused = refusals?.heldBack(key, at);
  const written = changedBack?.heldBack(key, plan, at);
  return refused === undefined || written === undefined
    ? (refused ?? written)
    : new Map([...written, ...refused]);
}
