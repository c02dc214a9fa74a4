import { expect, test } from 'vitest';
import { entry } from '../rollout/audit-entry.fixture.ts';
import { countWrites, mostPerPoolAndSecond } from './written.ts';

const child = { resource: 'deployments.apps' };
const poolStatus = { resource: 'nodepools.apps.openyurt.io', subresource: 'status' };

test('each write is counted as what it is, and events not among all', () => {
  const entries = [
    entry({ ...child, code: 201 }),
    entry({ ...child, code: 409 }),
    entry(child),
    entry(child),
    entry({ ...child, verb: 'delete' }),
    entry({ resource: 'nodes' }),
    entry({ resource: 'yurtappdaemons.apps.openyurt.io', subresource: 'status' }),
    entry({ resource: 'yurtappdaemons.apps.openyurt.io' }),
    entry(poolStatus),
    entry({ resource: 'events.events.k8s.io', verb: 'create', code: 201 }),
  ];
  expect(countWrites(entries)).toEqual({
    creates: 1,
    applies: 2,
    deletes: 1,
    nodePatches: 1,
    workloadStatus: 1,
    poolStatus: 1,
    events: 1,
    refused: 1,
    total: 9,
  });
});

test('a second begins with any status write of a pool, and other pools do not count', () => {
  const at = (name: string, receivedAt: number) => entry({ ...poolStatus, name, receivedAt });
  expect(mostPerPoolAndSecond([at('a', 2100), at('a', 900), at('b', 950), at('a', 1899)])).toBe(2);
  expect(mostPerPoolAndSecond([at('a', 0), at('a', 1000), at('b', 1)])).toBe(1);
  expect(mostPerPoolAndSecond([])).toBe(0);
});
