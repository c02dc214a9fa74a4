import {
  enqueueFrom,
  formatKey,
  groupResourceOf,
  keyOf,
  lowPriority,
  parseKey,
  startReconciler,
  WorkQueue,
  type CacheEvent,
  type Clock,
  type Informer,
  type KeySource,
  type KubeObject,
  type Logger,
  type Metrics,
  type Reader,
  type Reconciler,
  type ReconcileResult,
} from '@atoll/kube';
import type { Controller, Source } from '../controller.ts';
import { keysToEnqueue } from './keys-to-enqueue.ts';
import { ChangedBack } from '../executor/answers/changed-back.ts';
import { Refusals } from '../executor/answers/refusals.ts';
import { runReportedReconcile } from './report-failed-reconcile.ts';
import type { ReconcileEnd } from './reconcile-end.ts';
import type { ReconcileDeps } from './reconcile-deps.ts';
import { StatusPace } from '../status/status-pace.ts';
import type { WriteBudget } from '../status/write-budget.ts';

export interface ControllerRuntime extends Omit<
  ReconcileDeps,
  'signal' | 'pace' | 'refusals' | 'changedBack' | 'computed' | 'othersWait'
> {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics?: Metrics;
  /** Keys of one namespace that are reconciled at the same time; of all namespaces, and without one, four times as many. */
  readonly workers: number;
  /** Shared by all controllers. Absent: this one has its own. */
  readonly statusBudget?: WriteBudget;
  /** The informer that feeds a source's reader. */
  readonly informerOf: (reader: Reader<KubeObject>) => Pick<Informer<KubeObject>, 'subscribe' | 'onPresence'>;
}

/**
 * The minimum interval between two reconciles of a key, which what is immediate does not wait for: a second, and longer for what
 * computes much, three hundred times as long as it computes. So reconciling a key again costs at most 0.3 % of a core, however many
 * children move; with a thousand children it is three to five seconds. A write that came too late, because its object had moved,
 * is not left for as long.
 */
const minimumInterval = { minMs: 1_000, factor: 300, maxMs: 5_000, maxRetryMs: 500 };

/** What fails for another reason than a refusal is tried again soon, and after a long outage as soon as what was refused. */
const backoff = { baseMs: 5, maxMs: 30_000 };

/**
 * A change of an object's own spec goes before what else waits, so that it is seen within seconds however many objects change at
 * once: where others wait, its reconcile writes the status only (`acknowledgement.ts`) and the rest waits its turn.
 */
const newSpecPriority = 1;

/**
 * A reconcile that waits for slow answers keeps a worker, so those of one namespace may not keep all. What computes is one at any
 * time: the number of workers only bounds the memory of reconciles that wait.
 */
const namespacesAtOnce = 4;

/**
 * Runs a controller until the signal ends: changes of its sources become keys, keys become reconciles. What is there when
 * it starts stands behind what happens in the ten seconds after.
 */
export function startController<Snapshot>(
  controller: Controller<Snapshot>,
  runtime: ControllerRuntime,
  signal: AbortSignal,
): Reconciler {
  const { clock, metrics, workers: keysPerLane } = runtime;
  const logger = runtime.logger.child({ controller: controller.name });
  const queue = new WorkQueue({
    name: controller.name,
    clock,
    metrics,
    backoff,
    minimumInterval: controller.minimumInterval ?? minimumInterval,
    laneOf: (key) => parseKey(key).namespace,
    keysPerLane,
  });
  const pace = new StatusPace(runtime.statusBudget);
  const refusals = new Refusals();
  const changedBack = new ChangedBack();
  const reconciler = startReconciler(
    {
      name: controller.name,
      queue,
      clock,
      logger,
      metrics,
      workers: namespacesAtOnce * keysPerLane,
      reconcile: async (key, reconcileSignal) => {
        let costMs = 0;
        const computed = (ms: number): void => void (costMs += ms);
        const othersWait = (): boolean => queue.length > 0;
        const memory = { pace, refusals, changedBack };
        const deps: ReconcileDeps = { ...runtime, ...memory, computed, othersWait, signal: reconcileSignal };
        const result = await runReportedReconcile(controller, key, deps);
        return { ...resultOf(result, logger, key), costMs };
      },
    },
    signal,
  );
  const stopInspections = runtime.inspections?.onFinding(controller.name, (key) => queue.add(key));
  if (stopInspections !== undefined) signal.addEventListener('abort', stopInspections, { once: true });
  /** Which objects use a kind that came or went is not known here; this is rare, and a reconcile is cheap. */
  const enqueueAll = (): void => {
    for (const object of runtime.cacheOf(controller.resource)?.list() ?? []) {
      const key = formatKey(keyOf(object));
      refusals.changed(key);
      queue.add(key, { priority: lowPriority });
    }
  };
  const sources = controller.sources.map((source): KeySource => {
    const informer = runtime.informerOf(source.reader);
    return {
      subscribe: (enqueue) => {
        const listen = listener(controller, source, { enqueue, refusals, logger });
        const stops = [informer.subscribe(listen), informer.onPresence?.(enqueueAll)];
        return () => stops.forEach((stop) => stop?.());
      },
    };
  });
  enqueueFrom(sources, queue, signal);
  return reconciler;
}

/** What listens to the changes of a source: each enqueues the keys that it concerns. */
function listener(
  { resource }: Pick<Controller<unknown>, 'resource'>,
  source: Source,
  { enqueue, refusals, logger }: Listening,
): (events: readonly CacheEvent<KubeObject>[]) => void {
  const { kind } = source.reader.resource;
  const isOwn = groupResourceOf(source.reader.resource) === groupResourceOf(resource);
  return (events) => {
    for (const event of events) {
      try {
        const { keys, urgency, endsRefusal } = keysToEnqueue(resource, source, event);
        if (endsRefusal) keys.forEach((key) => refusals.changed(key));
        const urgent = urgency === 'immediate';
        enqueue(keys, { priority: isOwn && urgent ? newSpecPriority : 0, urgent });
      } catch (error) {
        // One object of an unforeseen shape must not hide the changes of others.
        logger.error({ err: error, kind, object: formatKey(event.object.metadata) }, 'event ignored');
      }
    }
  };
}

interface Listening {
  readonly enqueue: Parameters<KeySource['subscribe']>[0];
  readonly refusals: Refusals;
  readonly logger: Logger;
}

function resultOf(result: ReconcileEnd, logger: Logger, key: string): ReconcileResult | undefined {
  if (result.end !== 'done') logger.debug({ key, because: result.because }, 'requeued');
  if (result.end !== 'retry') {
    return result.afterMs === undefined ? undefined : { requeueAfter: result.afterMs };
  }
  return { requeue: true, notBefore: result.afterMs, requeueAfter: result.atLatestMs };
}
