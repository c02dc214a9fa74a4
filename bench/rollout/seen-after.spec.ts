import { expect, test } from 'vitest';
import { entry } from './audit-entry.fixture.ts';
import { seenAfter } from './seen-after.ts';

const resource = 'uniteddeployments.apps.kruise.io';
const byUser = { resource, userAgent: 'bench', verb: 'create', code: 201 };
const status = { resource, subresource: 'status' };

test('a change is seen when the next status write of its object was answered', () => {
  const entries = [
    entry({ ...byUser, name: 'a', at: 100 }),
    entry({ ...byUser, name: 'b', at: 110 }),
    entry({ ...status, name: 'b', receivedAt: 90, at: 120 }),
    entry({ ...status, name: 'a', receivedAt: 130, at: 140 }),
    entry({ ...status, name: 'b', receivedAt: 150, at: 170 }),
    entry({ ...status, name: 'a', receivedAt: 500, at: 510 }),
  ];
  expect(seenAfter(entries, 'uniteddeployments')).toEqual([40, 60]);
});

test('a refused status write shows nothing, nor does one of another kind', () => {
  const entries = [
    entry({ ...byUser, name: 'a', at: 100 }),
    entry({ ...status, name: 'a', receivedAt: 110, at: 120, code: 409 }),
    entry({ ...status, resource: 'yurtappdaemons.apps.openyurt.io', name: 'a', receivedAt: 110, at: 130 }),
  ];
  expect(seenAfter(entries, 'uniteddeployments')).toEqual([Infinity]);
});
