import { describe, expect, test } from 'vitest';
import type { CacheEvent, KubeObject, Stored } from '@atoll/kube';
import type { Waking } from '../controller.ts';
import { keysForItself, wakesItself } from './wake-itself.ts';

interface Thing extends KubeObject {
  readonly status?: { readonly seen?: number; readonly kept?: string };
}

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

function updated(metadata: object, status: Thing['status'] = {}) {
  const object = { ...old, status, metadata: { ...old.metadata, resourceVersion: '2', ...metadata } };
  return { type: 'updated', old, object } satisfies CacheEvent<Thing>;
}

describe('an object wakes itself', () => {
  test.each<readonly [string, object, Waking]>([
    ['in time by its status', {}, 'in-time'],
    ['at once by its spec', { generation: 2 }, 'at-once'],
    ['at once by an annotation', { annotations: { a: 'c' } }, 'at-once'],
    ['at once by a label', { labels: { a: 'b' } }, 'at-once'],
    ['at once by its end', { deletionTimestamp: '2026-11-01T10:00:00Z' }, 'at-once'],
    ['at once by another of its name', { uid: 'v' }, 'at-once'],
  ])('%s', (_says, metadata, waking) => {
    expect(wakesItself(updated(metadata))).toBe(waking);
  });

  test('at once when it comes or goes', () => {
    expect(wakesItself({ type: 'added', object: old })).toBe('at-once');
    expect(wakesItself({ type: 'deleted', object: old })).toBe('at-once');
  });
});

describe('the echo of an own write', () => {
  const leadsOn = (before: Thing, now: Thing): boolean => before.status?.kept !== now.status?.kept;
  const keysFor = (event: CacheEvent<Thing>) => keysForItself(event, leadsOn);
  const woken = ['ns/web'];

  test('of the status wakes nobody', () => {
    expect(keysFor({ ...updated({}, { seen: 1 }), echo: true })).toEqual([]);
  });

  test('of the status wakes where plans read what changed', () => {
    expect(keysFor({ ...updated({}, { kept: 'x' }), echo: true })).toEqual(woken);
  });

  test.each([
    ['the spec', { generation: 2 }],
    ['an annotation', { annotations: { a: 'c' } }],
  ])('of %s wakes', (_says, metadata) => {
    expect(keysFor({ ...updated(metadata), echo: true })).toEqual(woken);
  });

  test('that it is there, made or read by us, wakes', () => {
    expect(keysFor({ type: 'added', object: old, echo: true })).toEqual(woken);
  });
});

test('a status that somebody else wrote wakes', () => {
  expect(keysForItself(updated({}, { seen: 1 }), () => false)).toEqual(['ns/web']);
});
