import {
  lowPriority,
  startReconciler,
  WorkQueue,
  type CacheEvent,
  type Clock,
  type Informer,
  type KubeObject,
  type Logger,
  type Metrics,
  type Reader,
  type Reconciler,
  type ReconcileResult,
} from '@atoll/kube';
import type { Controller } from './controller.ts';
import { runPass, type PassDeps, type PassResult } from './run-pass.ts';

export interface ControllerRuntime extends Omit<PassDeps, 'signal'> {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics?: Metrics;
  /** Keys that are worked on at the same time. */
  readonly workers: number;
  /** The informer that feeds a source's reader. */
  readonly informerOf: (reader: Reader<KubeObject>) => Pick<Informer<KubeObject>, 'subscribe'>;
}

/**
 * Runs a controller until the signal ends: changes of its sources become keys, keys become passes. What is there when
 * it starts stands behind what happens meanwhile.
 */
export function startController<Snapshot>(
  controller: Controller<Snapshot>,
  runtime: ControllerRuntime,
  signal: AbortSignal,
): Reconciler {
  const { clock, metrics, workers } = runtime;
  const logger = runtime.logger.child({ controller: controller.name });
  const queue = new WorkQueue({ name: controller.name, clock, metrics });
  const reconciler = startReconciler(
    {
      name: controller.name,
      queue,
      clock,
      logger,
      metrics,
      workers,
      reconcile: async (key, passSignal) =>
        resultOf(await runPass(controller, key, { ...runtime, signal: passSignal }), logger, key),
    },
    signal,
  );
  for (const { reader, keysFor } of controller.sources) {
    let priority: number = lowPriority;
    const listen = (events: readonly CacheEvent<KubeObject>[]): void => {
      for (const event of events) {
        for (const key of keysFor(event)) queue.add(key, { priority });
      }
    };
    const stopListening = runtime.informerOf(reader).subscribe(listen);
    priority = 0;
    signal.addEventListener('abort', stopListening, { once: true });
  }
  return reconciler;
}

function resultOf(result: PassResult, logger: Logger, key: string): ReconcileResult | undefined {
  if (result.end === 'settled') {
    return result.afterMs === undefined ? undefined : { requeueAfter: result.afterMs };
  }
  logger.debug({ key, because: result.because }, 'looking again');
  return { requeue: true, notBefore: result.afterMs };
}
