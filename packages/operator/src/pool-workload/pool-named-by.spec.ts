import { expect, test } from 'vitest';
import { annotations, labels } from '@atoll/api';
import { poolNamedBy } from './child.ts';

const selector = { matchLabels: { [labels.poolName]: 'by-selector' } };
const noted = { [annotations.refNodePool]: 'by-annotation' };
const labelled = { [labels.poolName]: 'by-label' };

test.each([
  [
    'its selector, which nobody can change',
    { annotations: noted, labels: labelled },
    selector,
    'by-selector',
  ],
  ['then by its annotation', { annotations: noted, labels: labelled }, undefined, 'by-annotation'],
  ['then by its label', { labels: labelled }, undefined, 'by-label'],
  ['nothing that is empty', { labels: { [labels.poolName]: '' } }, undefined, undefined],
])('the pool of a child is named by %s', (_what, metadata, given, pool) => {
  const spec = given === undefined ? {} : { selector: given };
  expect(poolNamedBy({ metadata: { name: 'web', ...metadata }, spec })).toBe(pool);
});
