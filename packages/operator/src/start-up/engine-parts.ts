import { fieldManagers } from '@atoll/api';
import { boundedWrites, EventRecorder, systemClock, type CacheSet, type Part } from '@atoll/kube';
import { Inspector } from '../causes/inspector.ts';
import { cacheOfController } from '../definitions/cache-of-controller.ts';
import { undeclaredBy } from '../definitions/declared-writes.ts';
import type { KindDefinition } from '../definitions/kind-definition.ts';
import { createEngineMetrics } from '../engine-metrics.ts';
import { Announcer } from '../engine/announce.ts';
import type { Controller } from '../engine/controller.ts';
import { Executor } from '../engine/executor/execute.ts';
import { startController } from '../engine/reconcile/start-controller.ts';
import { WriteBudget } from '../engine/status/write-budget.ts';
import type { Connected } from './connect.ts';
import { sendWithinMs } from './options/operator-options.ts';

/** What all controllers share. */
export interface EngineParts {
  readonly recorder: EventRecorder;
  readonly inspector: Inspector;
  readonly executor: Executor;
  /** Reconciles the objects of a controller, from the moment when the caches that its definition names are filled. */
  readonly run: (definition: KindDefinition, controller: Controller<never, never>) => Part;
}

/** `identity`: names this process in its events. `mayWrite`: asked directly before each write. */
export function engineParts(
  { options, selected, environment: { logger }, client, serverClock: clock, metrics }: Connected,
  cached: CacheSet,
  { identity, mayWrite }: { readonly identity: string; readonly mayWrite: () => boolean },
): EngineParts {
  const recorder = new EventRecorder({
    client,
    reportingController: 'atoll.dev/operator',
    reportingInstance: identity,
    clock,
    logger,
    metrics,
  });
  const recordEvent = recorder.record.bind(recorder);
  const cacheOf = cacheOfController(selected, cached);
  const executor = new Executor({
    client: boundedWrites(client, { clock: systemClock, sendWithinMs }),
    cacheOf,
    undeclared: undeclaredBy(selected),
    clock,
    mayWrite,
    fieldManager: fieldManagers.atoll,
    recordEvent,
  });
  const inspector = new Inspector({ client, clock, logger });
  const shared = {
    clock,
    logger,
    metrics,
    executor,
    announcer: new Announcer({ log: logger, metrics: createEngineMetrics(metrics), recordEvent }),
    inspections: inspector,
    workers: options.workers,
    statusBudget: new WriteBudget(),
    informerOf: cached.informerOf.bind(cached),
  };
  return {
    recorder,
    inspector,
    executor,
    run: ({ name, reads }, controller) => ({
      name,
      synced: async () => cached.synced(Object.keys(reads)),
      run: (until) =>
        startController(controller, { ...shared, cacheOf: (resource) => cacheOf(resource, name) }, until)
          .stopped,
    }),
  };
}
