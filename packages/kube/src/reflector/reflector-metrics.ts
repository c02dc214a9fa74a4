import { Counter, Histogram } from 'prom-client';
import type { Metrics } from '../telemetry/metrics.ts';
import type { KubeObject } from '../objects/object.ts';
import type { ReflectorObserver } from './reflector-options.ts';
import { groupResourceOf, type Resource } from '../objects/resource.ts';

/** A watch that ends sooner than this, in milliseconds, without any event, is a short one, as in client-go. */
const shortWatchMs = 1_000;

/**
 * Registers the metrics of reflectors, under client-go's names and with its label `name`, here the resource; and
 * yields what informs them of each resource's reflector. Once for a registry.
 */
export function observeReflectors({
  registry,
}: Pick<Metrics, 'registry'>): (resource: Resource<KubeObject>) => ReflectorObserver {
  const labelNames = ['name'] as const;
  const registers = [registry];
  const counter = (name: string, help: string): Counter<'name'> =>
    new Counter({ name, help, labelNames, registers });
  const seconds = (name: string, help: string, buckets: number[]): Histogram<'name'> =>
    new Histogram({ name, help, labelNames, buckets, registers });
  const lists = counter('reflector_lists_total', 'Total number of API lists done by the reflectors.');
  const listSeconds = seconds(
    'reflector_list_duration_seconds',
    'How long an API list takes to return and decode for the reflectors.',
    [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60],
  );
  const watches = counter('reflector_watches_total', 'Total number of API watches done by the reflectors.');
  const shortWatches = counter(
    'reflector_short_watches_total',
    'Total number of short API watches done by the reflectors.',
  );
  const watchSeconds = seconds(
    'reflector_watch_duration_seconds',
    'How long an API watch takes to return and decode for the reflectors.',
    [1, 10, 60, 120, 300, 480, 600, 900],
  );
  const failures = counter(
    'reflector_failures_total',
    'Total number of lists and watches of the reflectors that failed and were tried again.',
  );
  const unreadable = counter(
    'reflector_unreadable_objects_total',
    'Total number of versions of objects that the reflectors could not read and left out.',
  );
  return (resource) => {
    const labels = { name: groupResourceOf(resource) };
    // A series that begins with 1 has not increased, as Prometheus computes it.
    for (const each of [lists, watches, shortWatches, failures, unreadable]) each.inc(labels, 0);
    return {
      listed({ durationMs }) {
        lists.inc(labels);
        listSeconds.observe(labels, durationMs / 1000);
      },
      watchOpened() {
        watches.inc(labels);
      },
      watchEnded({ events, durationMs }) {
        if (events === 0 && durationMs < shortWatchMs) shortWatches.inc(labels);
        watchSeconds.observe(labels, durationMs / 1000);
      },
      unreadable() {
        unreadable.inc(labels);
      },
      failed() {
        failures.inc(labels);
      },
    };
  };
}
