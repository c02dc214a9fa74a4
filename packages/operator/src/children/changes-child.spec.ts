import { expect, test } from 'vitest';
import type { Stored } from '@atoll/kube';
import type { ChildWorkload } from './child.ts';
import { changesChild } from './changes-child.ts';

const old = {
  metadata: {
    name: 'web-a',
    namespace: 'ns',
    uid: 'u',
    resourceVersion: '1',
    creationTimestamp: '',
    generation: 1,
  },
  spec: {},
  status: { replicas: 1 },
} as unknown as Stored<ChildWorkload>;

function changed(metadata: object, status: object = {}) {
  const object = { ...old, status, metadata: { ...old.metadata, ...metadata } } as Stored<ChildWorkload>;
  return { type: 'updated', old, object } as const;
}

test.each<readonly [string, object]>([
  ['its spec', { generation: 2 }],
  ['a label', { labels: { a: 'b' } }],
  ['an annotation', { annotations: { a: 'b' } }],
  ['its owner', { ownerReferences: [] }],
  ['the beginning of its end', { deletionTimestamp: '2026-11-01T10:00:00Z' }],
  ['another of its name', { uid: 'v' }],
])('a child is changed by %s', (_title, metadata) => {
  expect(changesChild(changed(metadata))).toBe(true);
});

test('a child is changed when it comes or goes', () => {
  expect(changesChild({ type: 'added', object: old })).toBe(true);
  expect(changesChild({ type: 'deleted', object: old })).toBe(true);
});

test('a child is not changed by what its own controller counts and notes', () => {
  expect(changesChild(changed({ resourceVersion: '2' }, { replicas: 2 }))).toBe(false);
  expect(changesChild(changed({ annotations: { 'deployment.kubernetes.io/revision': '2' } }))).toBe(false);
});
