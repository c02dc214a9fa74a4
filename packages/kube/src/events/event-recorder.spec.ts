import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ApiError } from '../client/api-error.ts';
import type { Client } from '../client/client.ts';
import type { EventOccurrence } from './event-aggregator.ts';
import { EventRecorder, type EventRecorderOptions } from './event-recorder.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { silentLogger } from '../telemetry/logger.ts';
import { createMetrics } from '../telemetry/metrics.ts';
import { dns1123SubdomainProblems } from '../objects/resource-names.ts';
import type { Event } from '../types/index.ts';

const pool = { apiVersion: 'apps.openyurt.io/v1beta2', kind: 'NodePool', name: 'hz', uid: 'u-1' };
const workload = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'edge', name: 'web', uid: 'u-2' };

function happened(note: string, more: Partial<EventOccurrence> = {}): EventOccurrence {
  return { type: 'Normal', regarding: workload, reason: 'ChildCreated', action: 'Create', note, ...more };
}

function refusal(code: number, reason: string): ApiError {
  return new ApiError({
    fate: code === 0 ? 'in-doubt' : 'refused',
    code,
    reason,
    message: reason,
    attempted: 'create event',
  });
}

const elsewhere = { ...workload, namespace: 'other', uid: 'u-3' };

interface Rig {
  readonly clock: FakeClock;
  readonly recorder: EventRecorder;
  readonly stored: Map<string, Event>;
  readonly writes: string[];
  /** What becomes of the next requests: an error is thrown, `lost` takes effect and is thrown. */
  readonly faults: (ApiError | 'lost')[];
  /** Namespaces in which nothing is answered. */
  readonly stuck: Set<string>;
  readonly metric: (line: string) => Promise<boolean>;
  readonly stop: () => Promise<void>;
}

function rig(options: Partial<EventRecorderOptions> = {}): Rig {
  const clock = new FakeClock();
  const metrics = createMetrics({ processMetrics: false });
  const stored = new Map<string, Event>();
  const writes: string[] = [];
  const faults: (ApiError | 'lost')[] = [];
  const stuck = new Set<string>();
  const serve = (run: () => unknown): unknown => {
    const fault = faults.shift();
    if (fault instanceof ApiError) throw fault;
    const answer = run();
    if (fault === 'lost') throw refusal(0, 'Timeout');
    return answer;
  };
  const client = {
    create: async (_: unknown, object: Event) => {
      const { namespace = '' } = object.metadata;
      writes.push(`create ${namespace}/${object.metadata.name}`);
      if (stuck.has(namespace)) await new Promise(() => undefined);
      return serve(() => {
        if (stored.has(object.metadata.name)) throw refusal(409, 'AlreadyExists');
        stored.set(object.metadata.name, object);
        return object;
      });
    },
    patch: async (_: unknown, key: { name: string }, patch: { body: Partial<Event> }) => {
      writes.push(`patch ${key.name}`);
      return serve(() => {
        const before = stored.get(key.name);
        if (before === undefined) throw refusal(404, 'NotFound');
        stored.set(key.name, { ...before, ...patch.body });
        return stored.get(key.name);
      });
    },
  } as unknown as Pick<Client, 'create' | 'patch'>;
  let suffix = 0;
  const recorder = new EventRecorder({
    client,
    reportingController: 'example.com/operator',
    reportingInstance: 'operator-0',
    clock,
    logger: silentLogger,
    metrics,
    uniqueSuffix: () => `n${suffix++}`,
    ...options,
  });
  const abort = new AbortController();
  const ended = recorder.run(abort.signal);
  return {
    clock,
    recorder,
    stored,
    writes,
    faults,
    stuck,
    metric: async (line) => (await metrics.registry.metrics()).split('\n').includes(line),
    stop: async () => {
      abort.abort();
      await ended;
    },
  };
}

describe('an event', () => {
  test('is written at once with everything the API server asks for', async () => {
    const { clock, recorder, stored, metric } = rig();
    recorder.record(happened('created web-hz', { related: pool }));
    await clock.advance(0);
    expect([...stored.values()]).toEqual([
      {
        apiVersion: 'events.k8s.io/v1',
        kind: 'Event',
        metadata: { namespace: 'edge', name: 'web.n0' },
        eventTime: '2026-01-01T00:00:00.000000Z',
        reportingController: 'example.com/operator',
        reportingInstance: 'operator-0',
        type: 'Normal',
        reason: 'ChildCreated',
        action: 'Create',
        note: 'created web-hz',
        regarding: workload,
        related: pool,
      },
    ]);
    expect(await metric('event_recorder_sent_total{type="Normal",result="created"} 1')).toBe(true);
  });

  test('about something without namespace is kept in default', async () => {
    const { clock, recorder, writes } = rig();
    recorder.record(happened('joined', { regarding: pool }));
    await clock.advance(0);
    expect(writes).toEqual(['create default/hz.n0']);
  });

  test('that is repeated becomes a series on the same object, written at intervals', async () => {
    const { clock, recorder, stored, writes } = rig();
    for (let second = 0; second < 60; second++) {
      recorder.record(happened('refused'));
      await clock.advance(1000);
    }
    expect(writes).toEqual(['create edge/web.n0', 'patch web.n0']);
    expect(stored.get('web.n0')?.series).toEqual({
      count: 31,
      lastObservedTime: '2026-01-01T00:00:30.000000Z',
    });
  });

  test('that was repeated is not written once more when nothing happens any longer', async () => {
    const { clock, recorder, writes, stop } = rig();
    recorder.record(happened('refused'));
    await clock.advance(1000);
    recorder.record(happened('refused'));
    await clock.advance(10 * 60_000);
    await stop();
    expect(writes).toEqual(['create edge/web.n0']);
  });

  test('with another note is another event', async () => {
    const { clock, recorder, stored } = rig();
    recorder.record(happened('1 of 3 updated'));
    recorder.record(happened('2 of 3 updated'));
    await clock.advance(0);
    expect([...stored.values()].map(({ note }) => note)).toEqual(['1 of 3 updated', '2 of 3 updated']);
  });

  test('is a new one after six minutes of silence', async () => {
    const { clock, recorder, writes } = rig();
    recorder.record(happened('refused'));
    await clock.advance(6 * 60_000 + 1);
    recorder.record(happened('refused'));
    await clock.advance(0);
    expect(writes).toEqual(['create edge/web.n0', 'create edge/web.n1']);
  });

  test('is made anew where the server forgot it', async () => {
    const { clock, recorder, stored, writes } = rig();
    recorder.record(happened('refused'));
    await clock.advance(0);
    stored.clear();
    await clock.advance(30_000);
    recorder.record(happened('refused'));
    await clock.advance(0);
    expect(writes).toEqual(['create edge/web.n0', 'patch web.n0', 'create edge/web.n1']);
    expect(stored.get('web.n1')?.series?.count).toBe(2);
  });

  test('whose answer was lost is not recorded twice', async () => {
    const { clock, recorder, stored, writes, faults } = rig();
    faults.push('lost');
    recorder.record(happened('created'));
    await clock.advance(1000);
    expect(writes).toEqual(['create edge/web.n0', 'create edge/web.n0']);
    expect(stored.size).toBe(1);
  });

  test.each([
    [403, 'Forbidden'],
    [403, 'NamespaceTerminating'],
    [404, 'NotFound'],
    [422, 'Invalid'],
  ])('that is refused with %d is dropped and counted, and the next one is recorded', async (code, reason) => {
    const { clock, recorder, stored, faults, metric } = rig();
    faults.push(refusal(code, reason));
    recorder.record(happened('first'));
    recorder.record(happened('second'));
    await clock.advance(0);
    expect([...stored.values()].map(({ note }) => note)).toEqual(['second']);
    expect(await metric('event_recorder_dropped_total{reason="refused"} 1')).toBe(true);
  });

  test('that is refused because its namespace is being deleted is no warning, as any other refusal is', async () => {
    const lines: string[] = [];
    const line = (level: string) => () => void lines.push(level);
    const logger = { ...silentLogger, warn: line('warn'), debug: line('debug') };
    const { clock, recorder, faults, metric } = rig({ logger });
    const causes = [{ reason: 'NamespaceTerminating', field: 'metadata.namespace' }];
    const { fate, code, reason, message, attempted } = refusal(403, 'Forbidden');
    const status = { details: { causes } };
    faults.push(new ApiError({ fate, code, reason, message, attempted, status }), refusal(403, 'Forbidden'));
    recorder.record(happened('first'));
    recorder.record(happened('second'));
    await clock.advance(0);
    expect(lines).toEqual(['debug', 'warn']);
    expect(await metric('event_recorder_dropped_total{reason="refused"} 2')).toBe(true);
  });

  test('waits for a server that is away, and is given up in the end', async () => {
    const { clock, recorder, stored, faults, metric } = rig();
    faults.push(...Array.from({ length: 3 }, () => refusal(503, 'ServiceUnavailable')));
    recorder.record(happened('first'));
    await clock.advance(250 + 500 + 1000);
    expect(stored.size).toBe(1);
    faults.push(...Array.from({ length: 6 }, () => refusal(503, 'ServiceUnavailable')));
    recorder.record(happened('second'));
    await clock.advance(60_000);
    expect(stored.size).toBe(1);
    expect(await metric('event_recorder_dropped_total{reason="unreachable"} 1')).toBe(true);
  });
});

describe('a server that cannot be reached', () => {
  const unsent = (): ApiError =>
    new ApiError({
      fate: 'unsent',
      code: 0,
      reason: 'NetworkError',
      message: 'cannot reach it',
      attempted: 'create event',
    });

  test('is asked by one event at a time, ever more rarely, and gets all of them in the end', async () => {
    const { clock, recorder, stored, writes, faults } = rig();
    faults.push(...Array.from({ length: 100 }, unsent));
    for (let index = 0; index < 50; index += 1) {
      const regarding = { ...workload, namespace: `ns-${index}`, uid: `u-${index}` };
      recorder.record(happened('first', { regarding }));
    }
    await clock.advance(60_000);
    expect(writes.length).toBeLessThanOrEqual(22);
    expect(stored.size).toBe(0);
    faults.splice(0);
    await clock.advance(10_000);
    expect(stored.size).toBe(50);
  });
});

describe('an event that the server does not take', () => {
  test('holds up no other, in its namespace or elsewhere, and is written in the end', async () => {
    const { clock, recorder, stored, faults } = rig();
    faults.push(refusal(500, 'InternalError'));
    recorder.record(happened('bad'));
    await clock.advance(0);
    recorder.record(happened('same namespace'));
    recorder.record(happened('another', { regarding: elsewhere }));
    await clock.advance(0);
    expect([...stored.values()].map(({ note }) => note)).toEqual(['same namespace', 'another']);
    await clock.advance(250);
    expect([...stored.values()].map(({ note }) => note)).toContain('bad');
  });

  test('is sent again as it was, and what happened meanwhile is counted with the next one', async () => {
    const { clock, recorder, stored, faults, writes } = rig();
    faults.push('lost', refusal(500, 'InternalError'));
    for (const at of [0, 100, 200]) {
      recorder.record(happened('refused'));
      await clock.advance(100);
      expect(clock.monotonic()).toBe(at + 100);
    }
    await clock.advance(30_700);
    expect(writes).toEqual(Array(3).fill('create edge/web.n0'));
    recorder.record(happened('refused'));
    await clock.advance(0);
    expect(stored.get('web.n0')?.series?.count).toBe(4);
  });

  test('because its namespace does not answer holds up no other namespace', async () => {
    const { clock, recorder, stored, stuck } = rig();
    stuck.add('edge');
    for (const note of ['first', 'second']) recorder.record(happened(note));
    for (const note of ['third', 'fourth']) recorder.record(happened(note, { regarding: elsewhere }));
    await clock.advance(0);
    expect([...stored.values()].map(({ note }) => note)).toEqual(['third', 'fourth']);
  });
});

describe('bounds', () => {
  test('one object cannot flood the server, and others are not touched by it', async () => {
    const { clock, recorder, stored, metric } = rig({ perObject: { burst: 3, refillMs: 60_000 } });
    for (let number = 0; number < 10; number++) recorder.record(happened(`number ${number}`));
    recorder.record(happened('other', { regarding: pool }));
    await clock.advance(0);
    expect(stored.size).toBe(4);
    expect(await metric('event_recorder_dropped_total{reason="rate-limited"} 7')).toBe(true);
    await clock.advance(60_000);
    recorder.record(happened('later'));
    await clock.advance(0);
    expect(stored.size).toBe(5);
  });

  test('the queue is bounded', async () => {
    const { clock, recorder, stored, metric } = rig({ queueLimit: 5 });
    // So that the first ones that are dropped are an increase.
    expect(await metric('event_recorder_dropped_total{reason="queue-full"} 0')).toBe(true);
    for (let number = 0; number < 8; number++) recorder.record(happened(`number ${number}`));
    await clock.advance(0);
    expect(stored.size).toBe(5);
    expect(await metric('event_recorder_dropped_total{reason="queue-full"} 3')).toBe(true);
  });

  test('a namespace whose events are not taken leaves places in the queue to others', async () => {
    const { clock, recorder, stored, stuck, metric } = rig({ queueLimit: 5 });
    stuck.add('edge');
    for (let number = 0; number < 8; number++) {
      recorder.record(happened(`number ${number}`));
      await clock.advance(0);
    }
    for (const note of ['third', 'fourth']) recorder.record(happened(note, { regarding: elsewhere }));
    await clock.advance(0);
    expect([...stored.values()].map(({ note }) => note)).toEqual(['third', 'fourth']);
    // One is under way, and five wait.
    expect(await metric('event_recorder_dropped_total{reason="queue-full"} 4')).toBe(true);
  });

  test('texts are cut to what the server takes, in bytes, never within a character', async () => {
    const { clock, recorder, stored } = rig();
    recorder.record(happened('ü€😀'.repeat(400)));
    await clock.advance(0);
    const note = stored.get('web.n0')?.note ?? '';
    expect(Buffer.byteLength(note)).toBeLessThanOrEqual(1024);
    expect(Buffer.byteLength(note)).toBeGreaterThan(1016);
    expect(note).toMatch(/^(ü€😀)+(ü€?)?…(€?😀)?(ü€😀)+$/u);
  });

  test('every name becomes a valid event name', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.string({ maxLength: 300 }), fc.constant('system:node:a')),
        async (name) => {
          const { clock, recorder, stored } = rig();
          recorder.record(happened('x', { regarding: { ...workload, name } }));
          await clock.advance(0);
          expect([...stored.keys()].flatMap(dns1123SubdomainProblems)).toEqual([]);
          expect(stored.size).toBe(1);
        },
      ),
    );
  });
});

describe('shutting down', () => {
  test('returns what is left', async () => {
    const { recorder, stored, stop } = rig();
    for (const note of ['first', 'last', 'last']) recorder.record(happened(note));
    await stop();
    expect([...stored.values()].map(({ note, series }) => [note, series?.count])).toEqual([
      ['first', undefined],
      ['last', 2],
    ]);
  });

  test('does not wait for a server that is away', async () => {
    const { clock, recorder, stop, faults, metric } = rig();
    faults.push(...Array.from({ length: 50 }, () => refusal(503, 'ServiceUnavailable')));
    for (const note of ['a', 'b', 'c']) recorder.record(happened(note));
    await clock.advance(0);
    const stopped = stop();
    await clock.advance(5000);
    await stopped;
    expect(await metric('event_recorder_dropped_total{reason="unreachable"} 3')).toBe(true);
    recorder.record(happened('too late'));
    expect(await metric('event_recorder_dropped_total{reason="stopped"} 1')).toBe(true);
  });
});
