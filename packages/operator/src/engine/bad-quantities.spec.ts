import { expect, test } from 'vitest';
import { badQuantities } from './bad-quantities.ts';

test('names every quantity that is none, by its path', () => {
  const spec = {
    overhead: { cpu: 'much' },
    containers: [
      { resources: { limits: { cpu: '1', memory: 'a lot' } } },
      { resources: { requests: { cpu: '1x' } } },
    ],
    volumes: [{ emptyDir: { sizeLimit: '1Gi' } }, { emptyDir: { sizeLimit: 'big' } }],
  };
  expect(
    badQuantities({ spec })
      .map(({ field }) => field)
      .toSorted(),
  ).toEqual([
    'spec.containers[0].resources.limits.memory',
    'spec.containers[1].resources.requests.cpu',
    'spec.overhead.cpu',
    'spec.volumes[1].emptyDir.sizeLimit',
  ]);
});

test('finds one below 10,000 levels', () => {
  let value: object = { limits: { cpu: 'much' } };
  for (let level = 0; level < 10_000; level += 1) value = level % 2 === 0 ? { a: value } : { a: [value] };
  expect(badQuantities(value)).toHaveLength(1);
});
