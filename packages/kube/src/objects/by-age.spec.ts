import { expect, it } from 'vitest';
import { byAge } from './by-age.ts';

function object(name: string, creationTimestamp: string) {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, uid: name, resourceVersion: '1', creationTimestamp },
  };
}

it('orders by age, and by name what was made in the same second', () => {
  const [first, second] = ['2026-11-26T21:00:00Z', '2026-11-26T21:00:01Z'];
  const old = [object('c', first), object('d', first)];
  const all = [...old, object('a', second), object('b', second)];
  expect(all.toReversed().sort(byAge)).toEqual(all);
  expect(all.map((each) => byAge(each, each))).toEqual([0, 0, 0, 0]);
});
