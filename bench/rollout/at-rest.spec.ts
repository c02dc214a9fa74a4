import { expect, test } from 'vitest';
import { nameOfWrite } from './at-rest.ts';

const receivedAt = Date.parse('2026-01-02T03:04:05.678Z');

test.each([
  [
    { verb: 'patch', resource: 'nodepools.apps', subresource: 'status', namespace: undefined, name: 'a' },
    'at 2026-01-02T03:04:05.678Z: patch nodepools.apps/status a',
  ],
  [
    {
      verb: 'create',
      resource: 'events.k8s.io',
      subresource: undefined,
      namespace: 'steady',
      name: undefined,
    },
    'at 2026-01-02T03:04:05.678Z: create events.k8s.io steady',
  ],
])('a write at rest is named by verb, kind and name, with the time: %#', (write, words) => {
  expect(nameOfWrite({ ...write, receivedAt })).toBe(words);
});
