import { systemClock, type Clock } from '../clock/clock.ts';
import type { Informer } from '../informer/informer.ts';
import type { Part } from '../manager/manager.ts';
import { controllerOf, formatKey, keyOf, parseKey, type KubeObject, type Stored } from '../objects/object.ts';
import type { Resource } from '../objects/resource.ts';
import { silentLogger, type Logger } from '../telemetry/logger.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { enqueueFrom, type KeySource } from './enqueue-from.ts';
import { startReconciler, type ReconcileResult } from './reconciler.ts';
import { WorkQueue, type WorkQueueOptions } from './work-queue.ts';

/** Objects of another kind, and which objects of the controller's own kind a change of one concerns, by key. */
export interface Source extends KeySource {
  readonly synced: () => Promise<void>;
}

/** A source by a function: of an object that changed it is asked for what was and for what is now. */
export function source<T extends KubeObject>(
  informer: Pick<Informer<T>, 'subscribe' | 'synced'>,
  keysFor: (object: Stored<T>) => Iterable<string>,
): Source {
  return {
    synced: async () => informer.synced,
    subscribe: (enqueue) =>
      informer.subscribe((events) => {
        const failures: unknown[] = [];
        const take = (object: Stored<T>): void => {
          try {
            enqueue(keysFor(object));
          } catch (error) {
            // One object of an unforeseen shape must not hide the changes of others, nor that it has another shape now.
            failures.push(error);
          }
        };
        for (const event of events) {
          if (event.type === 'updated') take(event.old);
          take(event.object);
        }
        if (failures.length > 0) throw new AggregateError(failures, 'a source failed');
      }),
  };
}

/**
 * The objects that are controlled by objects of the controller's own kind: a change of one concerns its controller. A projection of the
 * informer has to hold `metadata.ownerReferences`.
 */
export function owned<T extends KubeObject>(
  informer: Pick<Informer<T>, 'subscribe' | 'synced'>,
  owner: Resource<KubeObject>,
): Source {
  return source(informer, (object) => {
    const reference = controllerOf(object);
    if (reference?.kind !== owner.kind || groupOf(reference.apiVersion) !== owner.group) return [];
    const { namespace } = object.metadata;
    const inNamespace = owner.namespaced && namespace !== undefined;
    return [formatKey(inNamespace ? { namespace, name: reference.name } : { name: reference.name })];
  });
}

/** What makes a controller. */
export interface ControllerOptions<T extends KubeObject> {
  /** kebab-case; label of metrics and log lines. */
  readonly name: string;
  /** The objects that are reconciled. */
  readonly informer: Informer<T>;
  /** What else enqueues them. */
  readonly sources?: readonly Source[];
  /**
   * Makes the world as the object asks. What it throws is logged, and the object is reconciled again with growing waits. The
   * signal ends when the controller is to stop, or leads no longer: then nothing more should be written.
   */
  readonly reconcile: (
    object: Stored<T>,
    signal: AbortSignal,
  ) => Promise<ReconcileResult | undefined | void> | ReconcileResult | undefined | void;
  /** Called for an object that is gone, where that is of interest. */
  readonly gone?: (key: string, signal: AbortSignal) => Promise<void> | void;
  /** How many objects are reconciled at the same time: a whole number of at least 1, the default. */
  readonly workers?: number;
  readonly queue?: Pick<WorkQueueOptions, 'backoff' | 'minimumInterval' | 'laneOf' | 'keysPerLane'>;
  readonly clock?: Clock;
  readonly logger?: Logger;
  readonly metrics?: Metrics | undefined;
}

/**
 * A controller, as a part of a manager: each change of an object, or of what its sources map to it, makes one reconcile of
 * it, never two of one object at the same time. What is there at the beginning stands behind what happens meanwhile.
 * Throws a RangeError where `workers` is no whole number of at least 1.
 */
export function createController<T extends KubeObject>(options: ControllerOptions<T>): Part {
  const { name, informer, sources = [], workers, clock = systemClock, logger = silentLogger } = options;
  if (workers !== undefined && !(Number.isInteger(workers) && workers > 0))
    throw new RangeError(`workers of controller ${name}: ${workers} is no whole number of at least 1`);
  const own = source(informer, (object) => [formatKey(keyOf(object))]);
  const all = [own, ...sources];
  let queue: WorkQueue | undefined;
  return {
    name,
    underWay: () => queue?.underWay ?? [],
    synced: async () => void (await Promise.all(all.map(async (each) => each.synced()))),
    async run(signal) {
      queue = new WorkQueue({ ...options.queue, name, clock, metrics: options.metrics });
      const reconciler = startReconciler(
        {
          name,
          queue,
          clock,
          logger,
          metrics: options.metrics,
          ...(workers === undefined ? {} : { workers }),
          async reconcile(key, reconcileSignal) {
            const object = informer.cache.get(parseKey(key));
            if (object !== undefined) return (await options.reconcile(object, reconcileSignal)) ?? undefined;
            await options.gone?.(key, reconcileSignal);
            return undefined;
          },
        },
        signal,
      );
      enqueueFrom(all, queue, signal);
      await reconciler.stopped;
    },
  };
}

function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf('/');
  return slash === -1 ? '' : apiVersion.slice(0, slash);
}
