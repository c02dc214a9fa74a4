import { expect, it } from 'vitest';
import { entry } from '../rollout/audit-entry.fixture.ts';
import { mostStatusWrites, ofPods } from './operator-writes.ts';

it('counts the status writes of one object within any second', () => {
  const status = (name: string, at: number) =>
    entry({ resource: 'extendeddaemonsets.datadoghq.com', subresource: 'status', name, at });
  expect(mostStatusWrites([])).toBe(0);
  expect(mostStatusWrites([status('a', 0), status('b', 0), status('a', 1000), status('a', 2000)])).toBe(1);
  expect(mostStatusWrites([status('a', 0), status('a', 900), status('a', 1100), status('a', 1800)])).toBe(3);
  expect(mostStatusWrites([entry({ resource: 'pods', name: 'a', at: 0 })])).toBe(0);
});

it('finds the pods among all writes', () => {
  const [made, gone] = [
    entry({ resource: 'pods', verb: 'create' }),
    entry({ resource: 'pods', verb: 'delete' }),
  ];
  expect(ofPods([made, gone, entry({ resource: 'nodes', verb: 'create' })], 'create')).toEqual([made]);
});
