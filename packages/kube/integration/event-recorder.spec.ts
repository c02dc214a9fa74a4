import {
  createMetrics,
  EventRecorder,
  events,
  namespaces,
  nodes,
  silentLogger,
  systemClock,
  type EventOccurrence,
  type EventRecorderOptions,
  type KubeObject,
  type Metrics,
  type Resource,
  type StreamingClient,
} from '@atoll/kube';
import { expect, it } from 'vitest';
import { connect, newNamespace } from './control-plane.ts';

/** Events as `kubectl get events` reads them. */
interface CoreEvent extends KubeObject {
  readonly message?: string;
  readonly series?: { readonly count?: number };
  readonly involvedObject?: { readonly name?: string };
  readonly reportingComponent?: string;
}
const coreEvents: Resource<CoreEvent> = {
  group: '',
  version: 'v1',
  kind: 'Event',
  plural: 'events',
  namespaced: true,
};

function happened(namespace: string, note: string, more: Partial<EventOccurrence> = {}): EventOccurrence {
  const regarding = { apiVersion: 'apps/v1', kind: 'Deployment', namespace, name: 'web', uid: 'no-matter' };
  return { type: 'Warning', regarding, reason: 'ChildRefused', action: 'Create', note, ...more };
}

interface Recording {
  readonly recorder: EventRecorder;
  readonly metrics: Metrics;
  readonly stop: () => Promise<void>;
}

function record(client: StreamingClient, options: Partial<EventRecorderOptions> = {}): Recording {
  const metrics = createMetrics({ processMetrics: false });
  const recorder = new EventRecorder({
    client,
    reportingController: 'example.com/spec',
    reportingInstance: 'spec-0',
    clock: systemClock,
    logger: silentLogger,
    metrics,
    ...options,
  });
  const abort = new AbortController();
  const ended = recorder.run(abort.signal);
  return {
    recorder,
    metrics,
    stop: async () => {
      abort.abort();
      await ended;
    },
  };
}

it('what happened is read by people, a repetition as a count', async () => {
  await using client = await connect();
  const namespace = await newNamespace(client, 'events');
  const { recorder, metrics, stop } = record(client, { seriesIntervalMs: 0 });
  recorder.record(happened(namespace, 'quota exceeded'));
  const list = async () => (await client.list(events, { namespace })).items;
  // What is repeated while the first write has no answer is counted with the next repetition only.
  await expect
    .poll(async () => metrics.registry.metrics())
    .toContain('event_recorder_sent_total{type="Warning",result="created"} 1');
  for (let time = 0; time < 9; time++) recorder.record(happened(namespace, 'quota exceeded'));
  recorder.record(happened(namespace, 'ü'.repeat(2000), { type: 'Normal' }));
  // Not left to the end, which takes no longer than some seconds.
  await expect
    .poll(async () => (await list()).map(({ series }) => series?.count ?? 1).toSorted((a, b) => a - b))
    .toEqual([1, 10]);
  await stop();

  const [repeated, long] = (await list()).toSorted((a, b) => (a.note ?? '').localeCompare(b.note ?? ''));
  expect(repeated).toMatchObject({
    note: 'quota exceeded',
    type: 'Warning',
    reason: 'ChildRefused',
    action: 'Create',
    reportingController: 'example.com/spec',
    reportingInstance: 'spec-0',
    series: { count: 10 },
  });
  expect(Buffer.byteLength(long?.note ?? '')).toBe(1023);
  const [asPeopleSee] = (await client.list(coreEvents, { namespace })).items.filter(
    ({ series }) => series !== undefined,
  );
  expect(asPeopleSee).toMatchObject({
    message: 'quota exceeded',
    involvedObject: { name: 'web' },
    reportingComponent: 'example.com/spec',
  });
});

it('what happened to a node is kept in the namespace default', async () => {
  await using client = await connect();
  const [node] = (await client.list(nodes)).items;
  expect(node).toBeDefined();
  const { name = '', uid = '' } = node?.metadata ?? {};
  const note = `spec ${Math.random()}`;
  const { recorder, stop } = record(client, { flushTimeoutMs: 60_000 });
  recorder.record(happened('', note, { regarding: { apiVersion: 'v1', kind: 'Node', name, uid } }));
  await stop();
  const found = (await client.list(events, { namespace: 'default' })).items.filter(
    (event) => event.note === note,
  );
  expect(found).toMatchObject([{ regarding: { kind: 'Node', name } }]);
});

it('what happens in a namespace that goes away is dropped and counted', async () => {
  await using client = await connect();
  const namespace = await newNamespace(client, 'events');
  await client.update(namespaces, {
    ...(await client.get(namespaces, { name: namespace })),
    metadata: {
      ...(await client.get(namespaces, { name: namespace })).metadata,
      finalizers: ['example.com/spec'],
    },
  });
  await client.delete(namespaces, { name: namespace });
  const { recorder, metrics, stop } = record(client, { flushTimeoutMs: 60_000 });
  recorder.record(happened(namespace, 'too late'));
  recorder.record(happened('no-such-namespace', 'nowhere'));
  await stop();
  expect(await metrics.registry.metrics()).toContain('event_recorder_dropped_total{reason="refused"} 2');
  await client.patch(
    namespaces,
    { name: namespace },
    { type: 'merge', body: { metadata: { finalizers: null } } },
  );
});
