import { Counter, Gauge, Histogram } from 'prom-client';
import type { Metrics } from '../telemetry/metrics.ts';

/** The metrics of admission webhooks, under controller-runtime's names. */
export interface WebhookMetrics {
  /** `code`: the HTTP status. */
  readonly requests: Counter<'webhook' | 'code'>;
  readonly latency: Histogram<'webhook'>;
  readonly inFlight: Gauge<'webhook'>;
}

/** Registers them beside the others; once for a registry. */
export function createWebhookMetrics({ registry }: Pick<Metrics, 'registry'>): WebhookMetrics {
  const registers = [registry];
  return {
    requests: new Counter({
      name: 'controller_runtime_webhook_requests_total',
      help: 'Total number of admission requests by HTTP status code.',
      labelNames: ['webhook', 'code'],
      registers,
    }),
    latency: new Histogram({
      name: 'controller_runtime_webhook_latency_seconds',
      help: 'Histogram of the latency of processing admission requests.',
      labelNames: ['webhook'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers,
    }),
    inFlight: new Gauge({
      name: 'controller_runtime_webhook_requests_in_flight',
      help: 'Current number of admission requests being served.',
      labelNames: ['webhook'],
      registers,
    }),
  };
}
