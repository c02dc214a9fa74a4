import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

/**
 * The metrics of one manager, in a registry of their own. Names, labels and buckets are those of client-go and
 * controller-runtime, so that their dashboards and alerts fit.
 */
export interface Metrics {
  readonly registry: Registry;
  readonly workQueue: WorkQueueMetrics;
  readonly controller: ControllerMetrics;
  readonly restClient: RestClientMetrics;
  readonly leaderElection: { readonly status: Gauge<'name'> };
  readonly events: {
    /** `result`: `created`, `series` (a repetition was noted on an event that exists). */
    readonly sent: Counter<'type' | 'result'>;
    readonly dropped: Counter<'reason'>;
  };
}

const eventDropReasons = ['queue-full', 'rate-limited', 'refused', 'unreachable', 'stopped'] as const;
/** Why an event is given up: `stopped`, because the recorder had ended. */
export type EventDropReason = (typeof eventDropReasons)[number];

/** The metrics of work queues, under client-go's names. */
export interface WorkQueueMetrics {
  readonly depth: Gauge<'name' | 'controller' | 'priority'>;
  readonly adds: Counter<'name' | 'controller'>;
  readonly queueDuration: Histogram<'name' | 'controller'>;
  readonly workDuration: Histogram<'name' | 'controller'>;
  readonly retries: Counter<'name' | 'controller'>;
  /** Asked when the metrics are read, as the numbers grow by themselves while work goes on. */
  watch(queue: RunningWork): () => void;
}

/** What a queue reports when its metrics are read. */
export interface RunningWork {
  readonly name: string;
  /** Seconds for which each key that is worked on has been worked on. */
  runningSeconds(): readonly number[];
}

/** The metrics of controllers, under controller-runtime's names. */
export interface ControllerMetrics {
  /** `result`: `success`, `error`, `requeue`, `requeue_after`. */
  readonly total: Counter<'controller' | 'result'>;
  readonly errors: Counter<'controller'>;
  readonly seconds: Histogram<'controller'>;
  readonly activeWorkers: Gauge<'controller'>;
  readonly maxConcurrent: Gauge<'controller'>;
}

/** The metrics of requests, under client-go's names. */
export interface RestClientMetrics {
  /** `code`: the HTTP status, or `<error>` where no answer came. */
  readonly requests: Counter<'code' | 'method' | 'host'>;
  readonly duration: Histogram<'verb' | 'host'>;
}

/** Registers everything in a new registry; metrics of the process (CPU, memory, event loop, collector) are part of it. */
export function createMetrics(options: { readonly processMetrics?: boolean } = {}): Metrics {
  const registry = new Registry();
  if (options.processMetrics ?? true) {
    // Looking at the event loop every 10 ms, the default, is most of what a resting operator would do.
    collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 100 });
  }
  const registers = [registry];
  const dropped = new Counter({
    name: 'event_recorder_dropped_total',
    help: 'Events that were given up.',
    labelNames: ['reason'],
    registers,
  });
  // A series that begins with 1 has not increased, as Prometheus computes it.
  for (const reason of eventDropReasons) dropped.inc({ reason }, 0);
  return {
    registry,
    workQueue: workQueueMetrics(registers),
    controller: controllerMetrics(registers),
    restClient: restClientMetrics(registers),
    leaderElection: {
      status: new Gauge({
        name: 'leader_election_master_status',
        help: 'Whether the reporting system holds the lease: 0 backup, 1 leader. The name label is the lease.',
        labelNames: ['name'],
        registers,
      }),
    },
    events: {
      sent: new Counter({
        name: 'event_recorder_sent_total',
        help: 'Events that the API server took.',
        labelNames: ['type', 'result'],
        registers,
      }),
      dropped,
    },
  };
}

function workQueueMetrics(registers: Registry[]): WorkQueueMetrics {
  const labelNames = ['name', 'controller'] as const;
  const queues = new Set<RunningWork>();
  const durations = [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1, 10, 100, 1000];
  const running = (name: string, help: string, of: (seconds: readonly number[]) => number): void => {
    new Gauge({
      name,
      help,
      labelNames,
      registers,
      collect() {
        for (const queue of queues) {
          this.set({ name: queue.name, controller: queue.name }, of(queue.runningSeconds()));
        }
      },
    });
  };
  running(
    'workqueue_unfinished_work_seconds',
    'How many seconds of work has been done that is in progress and has not been observed by work_duration.',
    (seconds) => seconds.reduce((sum, each) => sum + each, 0),
  );
  running(
    'workqueue_longest_running_processor_seconds',
    'How many seconds the longest running processor has been running.',
    (seconds) => Math.max(0, ...seconds),
  );
  return {
    depth: new Gauge({
      name: 'workqueue_depth',
      help: 'Current depth of the work queue, by priority.',
      labelNames: [...labelNames, 'priority'],
      registers,
    }),
    adds: new Counter({
      name: 'workqueue_adds_total',
      help: 'Adds handled by the work queue.',
      labelNames,
      registers,
    }),
    queueDuration: new Histogram({
      name: 'workqueue_queue_duration_seconds',
      help: 'How long in seconds an item stays in the work queue before being requested.',
      labelNames,
      buckets: durations,
      registers,
    }),
    workDuration: new Histogram({
      name: 'workqueue_work_duration_seconds',
      help: 'How long in seconds processing an item from the work queue takes.',
      labelNames,
      buckets: durations,
      registers,
    }),
    retries: new Counter({
      name: 'workqueue_retries_total',
      help: 'Retries handled by the work queue.',
      labelNames,
      registers,
    }),
    watch(queue) {
      queues.add(queue);
      return () => void queues.delete(queue);
    },
  };
}

function controllerMetrics(registers: Registry[]): ControllerMetrics {
  const labelNames = ['controller'] as const;
  return {
    total: new Counter({
      name: 'controller_runtime_reconcile_total',
      help: 'Reconciliations per controller.',
      labelNames: ['controller', 'result'],
      registers,
    }),
    errors: new Counter({
      name: 'controller_runtime_reconcile_errors_total',
      help: 'Reconciliation errors per controller.',
      labelNames,
      registers,
    }),
    seconds: new Histogram({
      name: 'controller_runtime_reconcile_time_seconds',
      help: 'Length of time per reconciliation per controller.',
      labelNames,
      buckets: [
        0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1,
        1.25, 1.5, 1.75, 2, 2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
      ],
      registers,
    }),
    activeWorkers: new Gauge({
      name: 'controller_runtime_active_workers',
      help: 'Currently used workers per controller.',
      labelNames,
      registers,
    }),
    maxConcurrent: new Gauge({
      name: 'controller_runtime_max_concurrent_reconciles',
      help: 'Maximum number of concurrent reconciles per controller.',
      labelNames,
      registers,
    }),
  };
}

function restClientMetrics(registers: Registry[]): RestClientMetrics {
  return {
    requests: new Counter({
      name: 'rest_client_requests_total',
      help: 'HTTP requests, by status code, method and host.',
      labelNames: ['code', 'method', 'host'],
      registers,
    }),
    duration: new Histogram({
      name: 'rest_client_request_duration_seconds',
      help: 'Request latency in seconds, by verb and host.',
      labelNames: ['verb', 'host'],
      buckets: [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60],
      registers,
    }),
  };
}

/** Counts the requests of a client: to be given as its `onExchange`. */
export function countExchanges({ restClient }: Metrics): (observed: {
  readonly method: string;
  readonly host: string;
  /** 0 where no whole answer came. */
  readonly code: number;
  readonly durationMs: number;
}) => void {
  return ({ method, host, code, durationMs }) => {
    restClient.requests.inc({ code: code === 0 ? '<error>' : String(code), method, host });
    restClient.duration.observe({ verb: method, host }, durationMs / 1000);
  };
}
