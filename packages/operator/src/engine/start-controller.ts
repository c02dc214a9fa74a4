import {
  formatKey,
  keyOf,
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
import { PassRate } from './pass-rate.ts';
import { runReportedPass } from './report-failed-pass.ts';
import type { PassDeps, PassResult } from './run-pass.ts';
import { StatusPace } from './status-pace.ts';

export interface ControllerRuntime extends Omit<PassDeps, 'signal' | 'pace' | 'computed'> {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics?: Metrics;
  /** Keys that are worked on at the same time. */
  readonly workers: number;
  /** The informer that feeds a source's reader. */
  readonly informerOf: (reader: Reader<KubeObject>) => Pick<Informer<KubeObject>, 'subscribe' | 'onPresence'>;
}

/**
 * A key rests three hundred times as long as its pass computed: looking again costs at most 0.3 % of a core, however many
 * children move. With a few children that is some tenths of a second, with a thousand two or three seconds. A write that came
 * too late, because its object had moved, is not left for as long.
 */
const rest = { factor: 300, maxMs: 5_000, maxRetryMs: 500 };

/**
 * Where many small objects move at once each rests the longer, so that their number costs little: with 200 of them four to
 * five seconds, and some 45 passes a second in all.
 */
const msPerPassOfOthers = 100;
const longestCrowdedRestMs = 5_000;

/** How many of these rests numbers wait at least: alone a second, in a crowd ten. */
const restsForCounts = 2;

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
  const passes = new PassRate(clock);
  const { restMs } = controller;
  const minMs = (): number =>
    restMs === undefined
      ? 0
      : Math.max(restMs, Math.min(longestCrowdedRestMs, passes.perSecond * msPerPassOfOthers));
  const queue = new WorkQueue({ name: controller.name, clock, metrics, rest: { ...rest, minMs } });
  const pace = new StatusPace();
  const waitOfCounts = (key: string): number =>
    Math.max(minMs() * restsForCounts, pace.heldBackMs(key, clock.now()));
  /** Keys that are being looked at, each with the priority of what was counted meanwhile. */
  const working = new Map<string, { counted?: number }>();
  const wakeByCounts = (key: string, priority: number): void => {
    const pass = working.get(key);
    // How long its status is held back is known when the pass is over.
    if (pass !== undefined) pass.counted = priority;
    else queue.addWithin(key, waitOfCounts(key), { priority });
  };
  const reconciler = startReconciler(
    {
      name: controller.name,
      queue,
      clock,
      logger,
      metrics,
      workers,
      reconcile: async (key, passSignal) => {
        let costMs = 0;
        const computed = (ms: number): void => void (costMs += ms);
        passes.count();
        const pass: { counted?: number } = {};
        working.set(key, pass);
        try {
          const result = await runReportedPass(controller, key, {
            ...runtime,
            pace,
            computed,
            signal: passSignal,
          });
          return { ...resultOf(result, logger, key), costMs };
        } finally {
          working.delete(key);
          if (pass.counted !== undefined) wakeByCounts(key, pass.counted);
        }
      },
    },
    signal,
  );
  /** Which objects use a kind that came or went is not known here; this is rare, and a pass is cheap. */
  const wakeAll = (): void => {
    for (const object of runtime.cacheOf(controller.resource)?.list() ?? []) {
      queue.add(formatKey(keyOf(object)), { priority: lowPriority });
    }
  };
  for (const { reader, keysFor, wakes } of controller.sources) {
    let priority: number = lowPriority;
    const enqueue = (event: CacheEvent<KubeObject>): void => {
      const waking = wakes(event);
      const urgent = waking === 'at-once';
      for (const key of keysFor(event)) {
        if (waking !== 'counted') queue.add(key, { priority, urgent });
        else wakeByCounts(key, priority);
      }
    };
    const listen = (events: readonly CacheEvent<KubeObject>[]): void => {
      for (const event of events) {
        try {
          enqueue(event);
        } catch (error) {
          // One object of an unforeseen shape must not hide the changes of others.
          const { metadata } = event.object;
          logger.error(
            { err: error, kind: reader.resource.kind, object: formatKey(metadata) },
            'event ignored',
          );
        }
      }
    };
    const informer = runtime.informerOf(reader);
    const stopListening = [informer.subscribe(listen), informer.onPresence?.(wakeAll)];
    priority = 0;
    signal.addEventListener('abort', () => stopListening.forEach((stop) => stop?.()), { once: true });
  }
  return reconciler;
}

function resultOf(result: PassResult, logger: Logger, key: string): ReconcileResult | undefined {
  if (result.end === 'settled') {
    return result.afterMs === undefined ? undefined : { requeueAfter: result.afterMs };
  }
  logger.debug({ key, because: result.because }, 'looking again');
  return { requeue: true, notBefore: result.afterMs, requeueAfter: result.atLatestMs };
}
