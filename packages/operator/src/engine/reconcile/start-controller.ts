import {
  formatKey,
  keyOf,
  lowPriority,
  parseKey,
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
import type { Controller } from '../controller.ts';
import { PassRate } from './pass-rate.ts';
import { Refusals } from '../executor/refusals.ts';
import { runReportedPass } from './report-failed-pass.ts';
import type { PassResult } from './pass-result.ts';
import type { PassDeps } from './run-pass.ts';
import { StatusPace } from '../status/status-pace.ts';
import { wakesItself } from './wake-itself.ts';

export interface ControllerRuntime extends Omit<PassDeps, 'signal' | 'pace' | 'refusals' | 'computed'> {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics?: Metrics;
  /** Keys of one namespace that are reconciled at the same time; of all namespaces, and without one, four times as many. */
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

/** What fails for another reason than a refusal is tried again soon, and after a long outage as soon as what was refused. */
const backoff = { baseMs: 5, maxMs: 30_000 };

/**
 * A reconcile that waits for slow answers keeps a worker, so those of one namespace may not keep all. What computes is one at any
 * time: the number of workers only bounds the memory of reconciles that wait.
 */
const namespacesAtOnce = 4;

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
  const { clock, metrics, workers: keysPerLane } = runtime;
  const logger = runtime.logger.child({ controller: controller.name });
  const passes = new PassRate(clock);
  const { restMs } = controller;
  const minMs = (): number =>
    restMs === undefined
      ? 0
      : Math.max(restMs, Math.min(longestCrowdedRestMs, passes.perSecond * msPerPassOfOthers));
  const queue = new WorkQueue({
    name: controller.name,
    clock,
    metrics,
    backoff,
    rest: { ...rest, minMs },
    laneOf: (key) => parseKey(key).namespace,
    keysPerLane,
  });
  const pace = new StatusPace();
  const refusals = new Refusals();
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
      workers: namespacesAtOnce * keysPerLane,
      reconcile: async (key, passSignal) => {
        let costMs = 0;
        const computed = (ms: number): void => void (costMs += ms);
        passes.count();
        const pass: { counted?: number } = {};
        working.set(key, pass);
        try {
          const deps: PassDeps = { ...runtime, pace, refusals, computed, signal: passSignal };
          const result = await runReportedPass(controller, key, deps);
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
      const key = formatKey(keyOf(object));
      refusals.changed(key);
      queue.add(key, { priority: lowPriority });
    }
  };
  for (const { reader, keysFor, wakes, endsRefusal } of controller.sources) {
    let priority: number = lowPriority;
    const enqueue = (event: CacheEvent<KubeObject>): void => {
      const waking = wakes(event);
      const urgent = waking === 'at-once';
      // What we wrote ourselves changes nothing of what was refused; what others wrote and a live read had found does.
      const isAnswered = isEcho(event) && !(reader.resource === controller.resource && wantsAnother(event));
      const retries = !isAnswered && (endsRefusal?.(event) ?? urgent);
      for (const key of keysFor(event)) {
        if (retries) refusals.changed(key);
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
  if (result.end !== 'settled') logger.debug({ key, because: result.because }, 'looking again');
  if (result.end !== 'retry') {
    return result.afterMs === undefined ? undefined : { requeueAfter: result.afterMs };
  }
  return { requeue: true, notBefore: result.afterMs, requeueAfter: result.atLatestMs };
}

/** A spec, or what people say in the metadata: of the objects themselves we write the status, and a missing total once. */
function wantsAnother(event: CacheEvent<KubeObject>): boolean {
  return wakesItself(event) === 'at-once';
}

function isEcho(event: CacheEvent<KubeObject>): boolean {
  return event.type !== 'deleted' && event.echo === true;
}
