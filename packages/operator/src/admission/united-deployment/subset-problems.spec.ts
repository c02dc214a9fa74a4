import { expect, test } from 'vitest';
import { subsetProblems } from './subset-problems.ts';

test.each([
  ['30%', '30%', 0],
  ['31%', '30%', 1],
  ['0%', '0%', 0],
])('minReplicas %s and maxReplicas %s have %d problems', (minReplicas, maxReplicas, problems) => {
  const subset = { name: 'a', minReplicas, maxReplicas };
  expect(subsetProblems({ subset, index: 0, changes: () => true })).toHaveLength(problems);
});
