import { parseKey } from '@atoll/kube';
import type { Clock, Instant, KubeObject, Resource, WriteThroughCache } from '@atoll/kube';
import type { Announcer } from '../announce.ts';
import type { Controller, StatusWrite } from '../controller.ts';
import type { Executor } from '../executor/execute.ts';
import type { ChangedBack } from '../executor/answers/changed-back.ts';
import type { RefusedSteps, Refusals } from '../executor/answers/refusals.ts';
import type { Inspections } from '../inspection.ts';
import type { Plan } from '../plan.ts';
import type { StatusPace } from '../status/status-pace.ts';
import { guarded } from './guarded.ts';
import { beginReconcile, nextOf } from './machine.ts';
import type { ControllerCommand, ControllerEvent, Ended, Reconcile } from './machine.ts';
import { within } from './reconcile-end.ts';
import type { ReconcileEnd } from './reconcile-end.ts';
import { shippedRules } from './rules.ts';
import { statusPlan } from './status-plan.ts';
import { subjectOf } from './subject-of.ts';

export interface ReconcileDeps {
  readonly clock: Clock;
  readonly executor: Executor;
  readonly announcer: Announcer;
  readonly cacheOf: (resource: Resource<KubeObject>) => WriteThroughCache<KubeObject> | undefined;
  /** Absent: a status is written whenever it differs. */
  readonly pace?: StatusPace;
  /** Absent: what was refused is sent again in every reconcile. */
  readonly refusals?: Refusals;
  /** Absent: what somebody else changes back is written again in every reconcile. */
  readonly changedBack?: ChangedBack;
  /** Absent: nothing is inspected. */
  readonly inspections?: Inspections;
  /** Gets the milliseconds of the processor that computing took, as opposed to waiting: for answers, or for a processor that is busy. */
  readonly computed?: (ms: number) => void;
  /** Whether keys of this controller wait for a worker. Absent: none does. */
  readonly othersWait?: () => boolean;
  readonly signal: AbortSignal;
}

/** Reconciles a key: drives the machine with the controller, the executor and what the process remembers. */
export async function runReconcile<Snapshot, Decision>(
  controller: Controller<Snapshot, Decision>,
  key: string,
  deps: ReconcileDeps,
): Promise<ReconcileEnd> {
  const { executor, refusals, changedBack, clock, signal } = deps;
  const { name, resource } = controller;
  const objectKey = parseKey(key);
  const carryOut = carryingOut(controller, key, deps);
  const ended = await executor.drive<Reconcile, ControllerEvent, ControllerCommand, Ended>(
    {
      begin: (memory, bound) => beginReconcile({ resource, key: objectKey, bound, memory }, shippedRules),
      next: (state, event, facts) => nextOf(state, event, facts, shippedRules),
      carryOut,
      resultOf: (state) => (state.phase === 'ended' ? state : undefined),
    },
    { controller: name, key, signal },
  );
  if (ended.gone) forget(controller, key, deps);
  if (ended.outcome === undefined) return ended.result;
  const { results } = ended.outcome;
  const at = clock.monotonic();
  return within(
    changedBack?.ended(key, results, at),
    within(refusals?.ended(key, results, at), ended.result),
  );
}

interface Decided<Snapshot, Decision> {
  readonly snapshot: Snapshot;
  readonly decision: Decision;
}

function carryingOut<Snapshot, Decision>(
  controller: Controller<Snapshot, Decision>,
  key: string,
  deps: ReconcileDeps,
): (command: ControllerCommand) => ControllerEvent | undefined {
  const { clock, announcer, pace } = deps;
  const { name, resource } = controller;
  const objectKey = parseKey(key);
  const timed = stopwatch(deps);
  let snapshot: Snapshot | undefined;
  let planned: (Decided<Snapshot, Decision> & { readonly plan: Plan }) | undefined;
  let subject = subjectOf(resource, objectKey, undefined);
  let going: readonly StatusWrite[] = [];
  /** For what was observed last: once for each snapshot. */
  const decide = (now: Instant): Decided<Snapshot, Decision> => {
    if (snapshot === undefined) throw new Error(`nothing was observed of ${key}`);
    if (planned?.snapshot === snapshot) return planned;
    return { snapshot, decision: controller.decide(snapshot, now) };
  };
  return (command) => {
    switch (command.command) {
      case 'observe':
        snapshot = timed(() => controller.observe(objectKey, command.refused));
        return { event: 'observed', there: snapshot !== undefined };
      case 'plan': {
        const parent = deps.cacheOf(resource)?.get(objectKey);
        subject = subjectOf(resource, objectKey, parent);
        const plan = timed(() => {
          const now = clock.now();
          const decided = decide(now);
          const wanted = controller.plan(decided.snapshot, decided.decision, now);
          const bound = guarded(wanted, resource, objectKey, parent);
          planned = { ...decided, plan: bound };
          return bound;
        });
        return {
          event: 'planned',
          plan,
          heldBack: heldBackOf(key, plan, deps),
          othersWait: deps.othersWait?.() ?? false,
        };
      }
      case 'announce': {
        const { outcome } = command;
        const about = { controller: name, key, subject };
        if (command.of === 'status') {
          pace?.answered(going, outcome, clock.now());
          announcer.outcome({ ...about, key: `${key} status` }, outcome);
        } else if (planned !== undefined) {
          announcer.outcome(about, outcome, planned.plan.remembers);
          announcer.holds(about, planned.plan.holds);
          deps.inspections?.want(name, key, planned.plan.inspect ?? []);
          announcer.record(controller.events?.(planned.snapshot, planned.decision, outcome) ?? []);
        }
        return undefined;
      }
      case 'report': {
        const now = clock.now();
        return timed((): ControllerEvent => {
          const { snapshot: found, decision } = decide(now);
          const wanted = controller.report(found, decision, command.outcome, now);
          const paced = pace?.sort(wanted, now) ?? { now: wanted, nextAt: undefined };
          going = paced.now;
          return { event: 'reported', writes: statusPlan(going), nextAt: paced.nextAt };
        });
      }
    }
  };
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

function stopwatch({ clock, computed }: ReconcileDeps): <T>(compute: () => T) => T {
  return (compute) => {
    const since = clock.processorMs();
    const result = compute();
    computed?.(clock.processorMs() - since);
    return result;
  };
}

function forget<Snapshot>(controller: Controller<Snapshot>, key: string, deps: ReconcileDeps): void {
  const work = { controller: controller.name, key };
  deps.executor.forget(work);
  deps.refusals?.gone(key);
  deps.inspections?.want(controller.name, key, []);
  deps.announcer.forget(work);
  deps.announcer.forget({ ...work, key: `${key} status` });
}
