import type { CacheEvent, KubeObject } from '@atoll/kube';
import type { Controller, StatusWrite } from '../../src/engine/controller.ts';
import type { Plan } from '../../src/engine/plan.ts';
import type { Step } from '../../src/engine/step.ts';
import { planOf } from '../explorer/planned.ts';

/** How bugs are planted in a shipped controller: each a wrapper that leaves all else as it is. */
export function changingSteps<Snapshot>(
  controller: Controller<Snapshot>,
  change: (step: Step, snapshot: Snapshot) => readonly Step[],
): Controller<Snapshot> {
  return {
    ...controller,
    plan: (snapshot, decision, at): Plan => {
      const plan = controller.plan(snapshot, decision, at);
      const stages = plan.stages.map((stage) => ({
        ...stage,
        steps: stage.steps.flatMap((step) => change(step, snapshot)),
      }));
      return { ...plan, stages };
    },
  };
}

export function changingStatus<Snapshot>(
  controller: Controller<Snapshot>,
  change: (status: object) => object,
): Controller<Snapshot> {
  return {
    ...controller,
    report: (...about): readonly StatusWrite[] =>
      controller.report(...about).map((write) => ({ ...write, status: change(write.status) })),
  };
}

/** The plan is made of something else than is there; the report is not. */
export function seeing<Snapshot>(
  controller: Controller<Snapshot>,
  change: (snapshot: Snapshot) => Snapshot,
): Controller<Snapshot> {
  return { ...controller, plan: (snapshot, _decision, at) => planOf(controller, change(snapshot), at) };
}

/** Something else is seen than is there, by the plan and by the report. */
export function observing<Snapshot>(
  controller: Controller<Snapshot>,
  change: (snapshot: Snapshot) => Snapshot,
): Controller<Snapshot> {
  return {
    ...controller,
    observe: (...about) => {
      const snapshot = controller.observe(...about);
      return snapshot === undefined ? undefined : change(snapshot);
    },
  };
}

export function planning<Snapshot>(
  controller: Controller<Snapshot>,
  change: (plan: Plan, snapshot: Snapshot) => Plan,
): Controller<Snapshot> {
  return {
    ...controller,
    plan: (snapshot, decision, at) => change(controller.plan(snapshot, decision, at), snapshot),
  };
}

/** Everything at once, in the order of the targets: nothing waits for anything. */
export function inOneStage(plan: Plan): Plan {
  const steps = plan.stages
    .flatMap((stage) => stage.steps)
    .map((step): Step => ({ ...step, dependsOn: [] }))
    .toSorted(({ target: a = '' }, { target: b = '' }) => (a < b ? -1 : a > b ? 1 : 0));
  return { ...plan, stages: [{ name: 'all', steps }] };
}

/** The report is made of what was planned from, not of what is there after the writes. */
export function reportingWhatWasPlanned<Snapshot>(
  controller: Controller<Snapshot>,
  mixed: (before: Snapshot, after: Snapshot) => Snapshot = (before) => before,
): Controller<Snapshot> {
  const planned = new WeakMap<Step, Snapshot>();
  return {
    ...controller,
    plan: (snapshot, decision, at): Plan => {
      const plan = controller.plan(snapshot, decision, at);
      for (const { steps } of plan.stages) for (const step of steps) planned.set(step, snapshot);
      return plan;
    },
    report: (after, _decision, outcome, at) => {
      const [before] = outcome.results.flatMap(({ step }) => planned.get(step) ?? []);
      const seen = before === undefined ? after : mixed(before, after);
      return controller.report(seen, controller.decide(seen, at), outcome, at);
    },
  };
}

/** Some events enqueue nothing, or fewer keys. `which`: the sources that this is about. */
export function wakingLess<Snapshot>(
  controller: Controller<Snapshot>,
  which: (resource: object) => boolean,
  seen: (event: CacheEvent<KubeObject>) => CacheEvent<KubeObject> | undefined,
): Controller<Snapshot> {
  return {
    ...controller,
    sources: controller.sources.map((each) => {
      if (!which(each.reader.resource)) return each;
      const keysFor = (event: CacheEvent<KubeObject>): Iterable<string> => {
        const shown = seen(event);
        return shown === undefined ? [] : each.keysFor(shown);
      };
      return { ...each, keysFor };
    }),
  };
}

/** The object as if nobody had deleted it. */
export function asIfLive<T extends KubeObject>(object: T): T {
  const { deletionTimestamp: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/** A reader that is believed to have been filled before it was. */
export function alwaysSynced<T extends object>(reader: T): T {
  return new Proxy(reader, {
    get: (target, name) => {
      if (name === 'synced') return true;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}
