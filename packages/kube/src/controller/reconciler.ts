import { ApiError } from '../client/api-error.ts';
import type { Clock } from '../clock/clock.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { ReconcileCost, WorkQueue } from './work-queue.ts';

/** What a reconcile asks for. Nothing: the next event is soon enough. */
export interface ReconcileResult {
  /**
   * Milliseconds after which the key is requeued. 0, or a time that is over: at once, with growing waits, because a key that is due at once
   * each time would never end. This is no failure, so the key does not wait for the back-off of earlier failures.
   */
  readonly requeueAfter?: number | undefined;
  /** Requeue with growing waits, without calling it a failure: something is not as it should be yet. */
  readonly requeue?: boolean | undefined;
  /** With `requeue`: wait at least so many milliseconds, however short the back-off is (a server's Retry-After). */
  readonly notBefore?: number | undefined;
  /** Milliseconds of computing in this reconcile, for the minimum interval of its key; without it the whole duration counts. */
  readonly costMs?: number | undefined;
}

/** What {@link startReconciler} runs. */
export interface ReconcilerOptions {
  /** The controller's name; label of metrics and log lines. */
  readonly name: string;
  readonly queue: WorkQueue;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics?: Metrics | undefined;
  /** How many keys are worked on at the same time. Default 1. */
  readonly workers?: number;
  /**
   * One reconcile of one key. What it throws is logged, counted and tried again with growing waits; it never stops other
   * keys. The signal ends when the reconciler is to stop: a reconcile should then write nothing more.
   */
  readonly reconcile: (
    key: string,
    signal: AbortSignal,
  ) => Promise<ReconcileResult | undefined> | ReconcileResult | undefined;
}

/** Workers that take keys from a queue until the signal ends. */
export interface Reconciler {
  readonly name: string;
  /** Resolves when the signal has ended and every reconcile is over; never rejects. */
  readonly stopped: Promise<void>;
}

/** Starts the workers of a controller. The queue is shut down when the signal ends. */
export function startReconciler(options: ReconcilerOptions, signal: AbortSignal): Reconciler {
  const { name, queue, metrics, workers = 1 } = options;
  metrics?.controller.maxConcurrent.set({ controller: name }, workers);
  metrics?.controller.activeWorkers.set({ controller: name }, 0);
  const ended = new Promise<void>((resolve) => {
    const end = (): void => void queue.shutDown().then(resolve);
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });
  const loops = Array.from({ length: workers }, async () => work(options, signal));
  return { name, stopped: Promise.all([ended, ...loops]).then(() => undefined) };
}

async function work(options: ReconcilerOptions, signal: AbortSignal): Promise<void> {
  const { name, queue, metrics } = options;
  for (let key = await queue.take(); key !== undefined; key = await queue.take()) {
    metrics?.controller.activeWorkers.inc({ controller: name });
    let cost: ReconcileCost = {};
    try {
      cost = await reconcileOnce(options, key, signal);
    } finally {
      queue.done(key, cost);
      metrics?.controller.activeWorkers.dec({ controller: name });
    }
  }
}

async function reconcileOnce(
  options: ReconcilerOptions,
  key: string,
  signal: AbortSignal,
): Promise<ReconcileCost> {
  const { name, clock, metrics, reconcile } = options;
  const startedAt = clock.monotonic();
  const outcome = await attempt(async () => reconcile(key, signal));
  metrics?.controller.seconds.observe({ controller: name }, (clock.monotonic() - startedAt) / 1000);
  const { result, retryMs } =
    'error' in outcome ? failed(options, key, outcome.error, signal) : succeeded(options, key, outcome.value);
  metrics?.controller.total.inc({ controller: name, result });
  return { costMs: 'error' in outcome ? undefined : outcome.value?.costMs, retryMs };
}

/** How a reconcile ended, and after how many milliseconds it is repeated where it asks for that. */
interface End {
  readonly result: 'success' | 'error' | 'requeue' | 'requeue_after';
  readonly retryMs?: number;
}

function succeeded({ queue }: ReconcilerOptions, key: string, result: ReconcileResult | undefined): End {
  const { requeueAfter, notBefore = 0 } = result ?? {};
  const isOver = requeueAfter !== undefined && !(requeueAfter > 0);
  const isRepeated = result?.requeue === true;
  if (isRepeated || isOver) {
    const backoff = isRepeated ? queue.nextBackoff(key) : queue.nextTurn(key);
    const latest = requeueAfter === undefined || isOver ? backoff : requeueAfter;
    const retryMs = Math.max(Math.min(backoff, latest), notBefore);
    queue.addAfter(key, retryMs);
    return { result: 'requeue', retryMs };
  }
  queue.forget(key);
  if (requeueAfter === undefined) return { result: 'success' };
  queue.addAfter(key, requeueAfter);
  return { result: 'requeue_after' };
}

function failed(options: ReconcilerOptions, key: string, error: unknown, signal: AbortSignal): End {
  const { name, queue, logger, metrics } = options;
  // A reconcile that was stopped has not failed; nobody waits for its next attempt.
  if (signal.aborted) {
    logger.debug({ controller: name, key, err: error }, 'reconcile ended by shutdown');
    return { result: 'error' };
  }
  metrics?.controller.errors.inc({ controller: name });
  const backoff = queue.nextBackoff(key);
  // The server states when it can take more.
  const retryAfter = Math.max(backoff, error instanceof ApiError ? (error.retryAfterMs ?? 0) : 0);
  queue.addAfter(key, retryAfter);
  logger.error(
    { controller: name, key, err: error, failures: queue.failures(key), retryAfterMs: retryAfter },
    'reconcile failed',
  );
  return { result: 'error', retryMs: retryAfter };
}

async function attempt<T>(run: () => Promise<T>): Promise<{ value: T } | { error: unknown }> {
  try {
    return { value: await run() };
  } catch (error) {
    return { error };
  }
}
