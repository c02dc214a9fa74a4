import { describe, expect, test } from 'vitest';
import type { KubeObject, Resource } from '@atoll/kube';
import { children } from '../../../../simulation/examples/one-child-per-pool.ts';
import { requestFor, type WriteStep } from './request.ts';

test('a JSON patch takes place only on the object and the version that it was made for', () => {
  const change = { op: 'remove', path: '/metadata/managedFields/0' } as const;
  const request = requestFor({
    do: 'patch',
    resource: children,
    key: { namespace: 'edge', name: 'web-a' },
    uid: 'u',
    resourceVersion: '7',
    patch: { type: 'json', body: [change] },
    why: { word: 'ChildUpdated', message: 'because' },
  });
  expect(request).toMatchObject({
    patch: {
      type: 'json',
      body: [
        { op: 'replace', path: '/metadata/uid', value: 'u' },
        { op: 'replace', path: '/metadata/resourceVersion', value: '7' },
        change,
      ],
    },
  });
});

describe('a request takes place only on', () => {
  const resource = children as Resource<KubeObject>;
  const key = { namespace: 'edge', name: 'web-a' };
  const object = { metadata: key };
  const why = { word: 'ChildUpdated', message: 'because' } as const;
  const seen = { uid: 'u', resourceVersion: '7' };
  const patch = { type: 'merge', body: { metadata: { labels: { a: 'b' } } } } as const;
  const deletes = { do: 'delete', why, resource, key, uid: 'u', propagation: 'Background' } as const;
  test.each<[string, WriteStep, object]>([
    [
      'the object and the version that it was made for: an apply',
      { do: 'apply', why, resource, object, ...seen },
      { verb: 'apply', resource, object: { metadata: { ...key, ...seen } } },
    ],
    [
      'the same: a merge patch',
      { do: 'patch', why, resource, key, ...seen, patch },
      {
        verb: 'patch',
        resource,
        key,
        patch: { ...patch, body: { metadata: { ...seen, labels: { a: 'b' } } } },
      },
    ],
    [
      'the object that it was made for: a deletion',
      deletes,
      { verb: 'delete', resource, key, options: { uid: 'u', propagationPolicy: 'Background' } },
    ],
    [
      'its version as well: a deletion that names one, of a pod that is evicted',
      { ...deletes, resourceVersion: '7', evict: true },
      { verb: 'delete', resource, key, options: { ...seen, propagationPolicy: 'Background' }, evict: true },
    ],
    [
      'the object, in whatever version, and by dry run: the trial of a change',
      { do: 'try', why, resource, object, uid: 'u', trial: 't' },
      { verb: 'apply', resource, object: { metadata: { ...key, uid: 'u' } }, dryRun: true },
    ],
    [
      'no object, and by dry run: the trial of a new one',
      { do: 'try', why, resource, object, trial: 't' },
      { verb: 'create', resource, object, dryRun: true },
    ],
  ])('%s', (_, step, expected) => {
    expect(requestFor(step)).toEqual(expected);
  });
});
