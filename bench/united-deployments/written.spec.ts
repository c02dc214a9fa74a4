import { expect, test } from 'vitest';
import { entry } from '../rollout/audit-entry.fixture.ts';
import { countWrites } from './written.ts';

const child = { resource: 'deployments.apps' };
const status = { resource: 'uniteddeployments.apps.kruise.io', subresource: 'status' };

test('what is written most often is found among children and among statuses', () => {
  const entries = [
    entry({ ...child, name: 'a', code: 201 }),
    entry({ ...child, name: 'b', code: 201 }),
    entry({ ...child, name: 'a' }),
    entry({ resource: 'controllerrevisions.apps', name: 'a', code: 201 }),
    ...['x', 'x', 'x', 'y'].map((name) => entry({ ...status, name })),
    entry({ resource: 'events.events.k8s.io', name: 'a', verb: 'create', code: 201 }),
  ];
  expect(countWrites(entries)).toEqual({
    creates: 2,
    applies: 1,
    deletes: 0,
    mostPerChild: 2,
    children: 2,
    revisions: 1,
    status: 4,
    mostStatusPerObject: 3,
    events: 1,
    refused: 0,
    total: 8,
  });
});

test('where nothing was written nothing is counted', () => {
  expect(Object.values(countWrites([])).every((count) => count === 0)).toBe(true);
});
