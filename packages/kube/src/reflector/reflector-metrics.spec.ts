import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { observeReflectors } from './reflector-metrics.ts';
import { deployments } from '../objects/resources.ts';

it('counts lists, watches and failures of each resource under the names of client-go', async () => {
  const registry = new Registry();
  const observer = observeReflectors({ registry })(deployments);
  observer.listed?.({ mode: 'stream', items: 3, durationMs: 20 });
  for (const [events, durationMs] of [
    [0, 500],
    [2, 500],
    [0, 400_000],
  ] as const) {
    observer.watchOpened?.();
    observer.watchEnded?.({ why: 'closed', events, durationMs });
  }
  observer.failed?.({ error: new Error('no'), failures: 1, pauseMs: 800 });
  const text = await registry.metrics();
  for (const line of [
    'reflector_lists_total{name="deployments.apps"} 1',
    'reflector_list_duration_seconds_sum{name="deployments.apps"} 0.02',
    'reflector_watches_total{name="deployments.apps"} 3',
    'reflector_short_watches_total{name="deployments.apps"} 1',
    'reflector_watch_duration_seconds_sum{name="deployments.apps"} 401',
    'reflector_failures_total{name="deployments.apps"} 1',
  ]) {
    expect(text).toContain(line);
  }
});

it('counts from 0, so that the first failure of a resource is an increase', async () => {
  const registry = new Registry();
  const observerOf = observeReflectors({ registry });
  const observer = observerOf(deployments);
  const labels = '{name="deployments.apps"}';
  const before = await registry.metrics();
  for (const each of ['lists', 'watches', 'short_watches', 'failures', 'unreadable_objects'])
    expect(before).toContain(`reflector_${each}_total${labels} 0\n`);
  observer.unreadable?.();
  // Each namespace has a reflector of its own, in the same series.
  observerOf(deployments);
  expect(await registry.metrics()).toContain(`reflector_unreadable_objects_total${labels} 1\n`);
});
