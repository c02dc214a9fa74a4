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
  expect(badQuantities(deep({ limits: { cpu: 'much' } }))).toHaveLength(1);
});

test('shows the beginning of one of 10,000 levels', () => {
  const [found] = badQuantities({ limits: { cpu: deep('much') } });
  expect(found?.message).toMatch(/^\{"a":\[\{"a":.{89} is not a quantity; /);
});

/** The value below 10,000 levels. */
function deep(value: object | string): object {
  let around: object | string = value;
  for (let level = 0; level < 10_000; level += 1) around = level % 2 === 0 ? [around] : { a: around };
  return around as object;
}
