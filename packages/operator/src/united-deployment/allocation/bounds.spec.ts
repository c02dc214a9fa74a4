import { expect, test } from 'vitest';
import { readBounds } from './bounds.ts';

test.each([
  ['30%', '30%'],
  [3, 3],
])('a minimum of %s and the same maximum contradict nothing', (minReplicas, maxReplicas) => {
  const subset = { name: 'a', minReplicas, maxReplicas, standing: undefined };
  const { subsets, problems } = readBounds(10, [subset, { name: 'b', standing: undefined }]);
  expect(problems).toEqual([]);
  expect(subsets[0]).toMatchObject({ min: 3, max: 3, contradictory: false });
});
