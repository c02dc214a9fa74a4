import { expect, test } from 'vitest';
import { children } from '../../../../simulation/examples/one-child-per-pool.ts';
import { requestFor } from './request.ts';

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
