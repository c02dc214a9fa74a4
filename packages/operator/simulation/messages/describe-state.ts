import { parseKey, silentLogger, type KubeObject, type ObjectKey, type Resource } from '@atoll/kube';
import { Announcer } from '../../src/engine/announce.ts';
import { noMetrics } from '../../src/engine/engine.fixture.ts';
import type { Controller } from '../../src/engine/controller.ts';
import type { PlannedEvent } from '../../src/engine/step.ts';
import { conditionLines, type FoundCondition } from '../condition-lines.ts';
import type { FreshWorld, Reconciled } from '../examples/fresh-world.ts';

/** A state of a world whose messages are to be read. */
export interface DescribedState<Snapshot, Decision> {
  readonly title: string;
  readonly world: FreshWorld;
  readonly controller: Controller<Snapshot, Decision>;
  readonly key: string;
  /** The object whose conditions are shown; undefined: there is none. */
  readonly object?: readonly [Resource<KubeObject>, ObjectKey];
}

interface Conditioned extends KubeObject {
  readonly status?: { readonly conditions?: readonly FoundCondition[] };
}

/** No state of the table needs more reconciles to come to rest; some never do, because a write is refused. */
const mostReconciles = 6;

/** What `kubectl describe` prints of a state, and what is in the log: made by the decisions themselves. */
export function describeState<Snapshot, Decision>(state: DescribedState<Snapshot, Decision>): string {
  const { title, world, controller, key, object } = state;
  const events: PlannedEvent[] = [];
  const log: string[] = [];
  const announcer = new Announcer({
    log: {
      ...silentLogger,
      info: (fields) => void log.push(`${fieldOf(fields, 'reason')}: ${fieldOf(fields, 'why')}`),
    },
    metrics: noMetrics,
    recordEvent: (event) => void events.push(event),
  });
  for (const reconciled of reconciles(world, controller, key)) {
    const subject = { apiVersion: '', kind: '', name: key, uid: key };
    const about = { controller: controller.name, key, subject };
    announcer.outcome(about, reconciled.outcome);
    announcer.holds(about, reconciled.plan.holds);
    announcer.record(reconciled.events);
    // The executor records these.
    for (const { step } of reconciled.outcome.results) if (step.do === 'event') events.push(step.event);
  }
  const lines = [
    ...(object === undefined ? [] : conditionsOf(world.get(object[0], object[1]))),
    ...events.map(({ type, regarding, reason, note }) => {
      const on =
        regarding.kind === '' || regarding.name === object?.[1].name
          ? ''
          : ` on ${regarding.kind} ${regarding.name}`;
      return `event ${type}${on} ${reason}: ${note}`;
    }),
    ...log.map((line) => `log ${line}`),
  ];
  return [title, ...new Set(lines)].join('\n  ');
}

function reconciles<Snapshot, Decision>(
  world: FreshWorld,
  controller: Controller<Snapshot, Decision>,
  key: string,
): readonly Reconciled[] {
  const reconciles: Reconciled[] = [];
  while (reconciles.length < mostReconciles && controller.observe(parseKey(key)) !== undefined) {
    const reconciled = world.reconcile(controller, key);
    reconciles.push(reconciled);
    if (reconciled.outcome.results.length === 0 && !reconciled.statusWritten) break;
  }
  return reconciles;
}

function conditionsOf({ status }: Conditioned): readonly string[] {
  return conditionLines((status?.conditions ?? []).filter(({ reason = '' }) => reason !== ''));
}

function fieldOf(fields: unknown, name: string): string {
  return String((fields as Readonly<Record<string, unknown>>)[name]);
}
