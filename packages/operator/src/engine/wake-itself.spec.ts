import { describe, expect, test } from 'vitest';
import type { KubeObject, Stored } from '@atoll/kube';
import type { Waking } from '../controller.ts';
import { wakesByOwner } from './wake-owner.ts';

describe('an owner wakes itself', () => {
  const old = {
    metadata: { name: 'web', uid: 'u', generation: 1, annotations: { a: 'b' } },
  } as unknown as Stored<KubeObject>;

  test.each<readonly [string, object, Waking]>([
    ['by and by by its status', { resourceVersion: '2' }, 'counted'],
    ['at once by its spec', { generation: 2 }, 'at-once'],
    ['at once by an annotation', { annotations: { a: 'c' } }, 'at-once'],
    ['at once by a label', { labels: { a: 'b' } }, 'at-once'],
    ['at once by its end', { deletionTimestamp: '2026-11-01T10:00:00Z' }, 'at-once'],
    ['at once by another of its name', { uid: 'v' }, 'at-once'],
  ])('%s', (_says, metadata, waking) => {
    const object = { ...old, metadata: { ...old.metadata, ...metadata } };
    expect(wakesByOwner({ type: 'updated', old, object })).toBe(waking);
  });

  test('at once when it comes or goes', () => {
    expect(wakesByOwner({ type: 'added', object: old })).toBe('at-once');
    expect(wakesByOwner({ type: 'deleted', object: old })).toBe('at-once');
  });
});
