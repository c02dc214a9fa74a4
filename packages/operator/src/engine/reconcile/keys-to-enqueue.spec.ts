import { describe, expect, test } from 'vitest';
import { deployments, replicaSets } from '@atoll/kube';
import type { CacheEvent, KubeObject, Reader, Resource, Stored } from '@atoll/kube';
import { ownSource, source, type Urgency } from '../controller.ts';
import { isReadByPlans, keysToEnqueue } from './keys-to-enqueue.ts';

interface Thing extends KubeObject {
  readonly status?: object;
}

const own = deployments as Resource<KubeObject>;
const things = { resource: own } as Reader<Thing>;
const children = { resource: replicaSets as Resource<KubeObject> } as Reader<Thing>;

const old: Stored<Thing> = {
  metadata: {
    name: 'web',
    namespace: 'ns',
    uid: 'u',
    resourceVersion: '1',
    creationTimestamp: '2026-11-01T10:00:00Z',
    generation: 1,
    annotations: { a: 'b' },
  },
};

function updated(metadata: object, status: object = {}) {
  const object = { ...old, status, metadata: { ...old.metadata, resourceVersion: '2', ...metadata } };
  return { type: 'updated', old, object } as const satisfies CacheEvent<KubeObject>;
}

const web = ['ns/web'];

describe('an object of the own kind', () => {
  const of = (event: CacheEvent<KubeObject>) => keysToEnqueue(own, ownSource(things), event);

  test.each<readonly [string, object, Urgency]>([
    ['deferred by its status', {}, 'deferred'],
    ['immediate by its spec', { generation: 2 }, 'immediate'],
    ['immediate by an annotation', { annotations: { a: 'c' } }, 'immediate'],
    ['immediate by a label', { labels: { a: 'b' } }, 'immediate'],
    ['immediate by the beginning of its end', { deletionTimestamp: '2026-11-01T10:00:00Z' }, 'immediate'],
    ['immediate by another of its name', { uid: 'v' }, 'immediate'],
  ])('is enqueued, %s', (_title, metadata, urgency) => {
    expect(of(updated(metadata))).toEqual({ keys: web, urgency, endsRefusal: urgency === 'immediate' });
  });

  test('is enqueued as soon by its status as its source asks', () => {
    const soon = ownSource(things, () => 'immediate');
    expect(keysToEnqueue(own, soon, updated({}))).toMatchObject({ keys: web, urgency: 'immediate' });
  });

  test('is enqueued, immediate when it comes or goes', () => {
    const enqueued = { keys: web, urgency: 'immediate', endsRefusal: true };
    expect(of({ type: 'added', object: old })).toEqual(enqueued);
    expect(of({ type: 'deleted', object: old })).toEqual(enqueued);
    expect(of({ type: 'added', object: old, echo: true })).toEqual(enqueued);
  });

  test('is not enqueued by the echo of its own status in which only numbers and messages changed', () => {
    const status = { replicas: 3, conditions: [{ type: 'Ready', status: 'False', message: '3 of 4' }] };
    const before = { ...old, status };
    const object = {
      ...before,
      status: { replicas: 4, conditions: [{ type: 'Ready', status: 'False', message: '4 of 4' }] },
    };
    expect(of({ type: 'updated', old: before, object, echo: true }).keys).toEqual([]);
    const reading = { ...ownSource(things), readsMessages: true } as const;
    const echo = { type: 'updated', old: before, object, echo: true } as const;
    expect(keysToEnqueue(own, reading, echo).keys).toEqual(web);
    // Somebody else wrote it: it is to be put right.
    expect(of({ type: 'updated', old: before, object }).keys).toEqual(web);
  });

  test('is enqueued by the echo of conditions of ours that overtook a status of others, as soon as by that status', () => {
    const condition = (message: string) => ({ type: 'Ready', status: 'False', message });
    const found = { observedGeneration: 1, numberReady: 3, conditions: [condition('3 of 4')] };
    const before = { ...old, status: found };
    const echo = (status: object) =>
      ({ type: 'updated', old: before, object: { ...before, status }, echo: true }) as const;
    const shared = { ...ownSource(things, () => 'immediate' as const), othersWriteStatus: true } as const;
    const ours = echo({ ...found, conditions: [condition('4 of 4')] });
    const overtaken = echo({ observedGeneration: 2, numberReady: 3, conditions: [condition('4 of 4')] });
    expect(keysToEnqueue(own, shared, ours).keys).toEqual([]);
    expect(keysToEnqueue(own, shared, overtaken)).toEqual({
      keys: web,
      urgency: 'immediate',
      endsRefusal: false,
    });
  });

  test('is enqueued, deferred by the echo of its own status where plans may read what changed', () => {
    const event = { ...updated({}, { currentRevision: 'web-1' }), echo: true } as const;
    expect(of(event)).toEqual({ keys: web, urgency: 'deferred', endsRefusal: false });
  });

  test('is enqueued, deferred by the echo of its own status that turned and turned back before the first was reported', () => {
    const echo = { ...updated({}), old: { ...old, status: {} }, echo: true } as const;
    expect(of(echo).keys).toEqual([]);
    expect(of({ ...echo, skips: true })).toEqual({ keys: web, urgency: 'deferred', endsRefusal: false });
  });

  test('is enqueued, immediate by what somebody else wrote and a live read has found', () => {
    const event = { ...updated({ generation: 2 }), echo: true } as const;
    expect(of(event)).toEqual({ keys: web, urgency: 'immediate', endsRefusal: true });
  });
});

describe('another object', () => {
  const keysFor = ({ object }: CacheEvent<Thing>): readonly string[] => [
    `ns/owner-of-${object.metadata.name}`,
  ];
  const keys = ['ns/owner-of-web'];

  test('enqueues the keys of its source, as urgent as that asks', () => {
    const deferred = source(children, keysFor, 'deferred');
    expect(keysToEnqueue(own, deferred, updated({ generation: 2 }))).toEqual({
      keys,
      urgency: 'deferred',
      endsRefusal: false,
    });
    const immediate = source(children, keysFor, ({ type }) =>
      type === 'deleted' ? 'immediate' : 'deferred',
    );
    expect(keysToEnqueue(own, immediate, { type: 'deleted', object: old })).toEqual({
      keys,
      urgency: 'immediate',
      endsRefusal: true,
    });
  });

  test('enqueues by the echo of a write of ours, which ends no refusal', () => {
    const ending = source(children, keysFor, 'deferred', () => true);
    expect(keysToEnqueue(own, ending, updated({})).endsRefusal).toBe(true);
    const echo = keysToEnqueue(own, ending, { ...updated({}), echo: true });
    expect(echo).toEqual({ keys, urgency: 'deferred', endsRefusal: false });
  });

  test('enqueues by the echo of a write of ours that changed a number alone', () => {
    const object = updated({}, { replicas: 2 });
    const echo = { ...object, old: { ...old, status: { replicas: 1 } }, echo: true } as const;
    expect(keysToEnqueue(own, source(children, keysFor, 'deferred'), echo).keys).toEqual(keys);
  });
});

describe('plans read of a status', () => {
  const status = {
    replicas: 3,
    currentRevision: 'web-1',
    subsets: [{ name: 'a', replicas: 1 }],
    conditions: [{ type: 'Ready', status: 'True', message: 'all 3', lastTransitionTime: 'then' }],
  };
  const rows: readonly (readonly [boolean, string, object])[] = [
    [false, 'a number', { replicas: 4 }],
    [false, 'a number that is left out', { replicas: undefined }],
    [false, 'a number of an item', { subsets: [{ name: 'a', replicas: 2 }] }],
    [false, 'a message', { conditions: [{ ...status.conditions[0], message: 'all 4' }] }],
    [true, 'a name', { currentRevision: 'web-2' }],
    [true, 'a name that is left out', { currentRevision: undefined }],
    [true, 'a name that comes', { updatedRevision: 'web-2' }],
    [true, 'an item that comes', { subsets: [...status.subsets, { name: 'b' }] }],
    [true, 'an item that goes', { subsets: [] }],
    [true, 'a list that becomes something else', { subsets: { 0: { name: 'a', replicas: 1 } } }],
    [true, 'a condition that turns', { conditions: [{ ...status.conditions[0], status: 'False' }] }],
    [true, 'since when', { conditions: [{ ...status.conditions[0], lastTransitionTime: 'now' }] }],
  ];
  test.each(rows)('%s: %s', (isRead, _what, change) => {
    expect(isReadByPlans({ status }, { status: { ...status, ...change } })).toBe(isRead);
  });
});
