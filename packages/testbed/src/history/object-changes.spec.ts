import { describe, expect, it } from 'vitest';
import { objectChanges } from './object-changes.ts';

describe('changes of an object', () => {
  it.each([
    ['a value', { spec: { replicas: 1 } }, { spec: { replicas: 2 } }, ['spec.replicas']],
    ['a new field', {}, { spec: {} }, ['spec']],
    ['a label whose name is no word', { labels: { 'a/b': '1' } }, { labels: {} }, ['labels["a/b"]']],
    ['a plain list by place', { args: ['a', 'b'] }, { args: ['a', 'c', 'd'] }, ['args[1]', 'args[2]']],
    [
      'conditions by type, wherever they stand',
      {
        conditions: [
          { type: 'Ready', status: 'False' },
          { type: 'Available', status: 'True' },
        ],
      },
      {
        conditions: [
          { type: 'Available', status: 'True' },
          { type: 'Ready', status: 'True' },
        ],
      },
      ['conditions[Ready].status'],
    ],
    ['taints by key', { taints: [] }, { taints: [{ key: 'edge', effect: 'NoSchedule' }] }, ['taints[edge]']],
    ['bookkeeping: none', { metadata: { resourceVersion: '1' } }, { metadata: { resourceVersion: '2' } }, []],
  ])('%s', (_, from, to, expected) => {
    expect(objectChanges(from, to).map(({ path }) => path)).toEqual(expected);
  });
});
