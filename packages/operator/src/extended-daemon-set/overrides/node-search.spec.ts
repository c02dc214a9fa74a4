import { compileSelector, selectorMatches, type LabelSelector } from '@atoll/kube';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { node } from '../extended-daemon-set.fixture.ts';
import { nodeSearch } from './node-search.ts';

const labels = fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.constantFrom('1', '2'));
/** So few that some nodes match. */
const few = fc.dictionary(fc.constantFrom('a', 'b'), fc.constantFrom('1', '2'), { maxKeys: 1 });
const requirement = fc.record({
  key: fc.constantFrom('a', 'b', 'd'),
  operator: fc.constantFrom('In', 'NotIn', 'Exists', 'DoesNotExist'),
  values: fc.subarray(['1', '2', '3'], { minLength: 1 }),
});

it.each([1, 1_000])('of %i selectors each finds the nodes that it matches, in their order', (selectors) => {
  fc.assert(
    fc.property(
      fc.array(labels, { maxLength: 6 }),
      few,
      fc.array(requirement, { maxLength: 2 }),
      (found, some, more) => {
        const nodes = found.map((each, index) => node(`n${index}`, { labels: each }));
        const matchExpressions = more.map(({ key, operator, values }) => ({
          key,
          operator,
          values: operator.endsWith('In') ? values : [],
        }));
        const selector = compileSelector({ matchLabels: some, matchExpressions } as LabelSelector);
        const matched = nodes.filter(({ metadata }) => selectorMatches(selector, metadata.labels));
        expect([...nodeSearch(nodes, selectors)(selector)]).toEqual(matched);
      },
    ),
  );
});

/** Counts how often a node's labels are read. */
function countedNodes(count: number) {
  const reads = { count: 0 };
  const nodes = Array.from({ length: count }, (_, index) => {
    const { labels: found, ...metadata } = node(`n${index}`, { labels: { name: `n${index}` } }).metadata;
    return {
      metadata: {
        ...metadata,
        get labels() {
          reads.count += 1;
          return found ?? {};
        },
      },
    };
  });
  return { nodes, reads };
}

it('asks no node for each of 1,000 selectors', () => {
  const { nodes, reads } = countedNodes(2_000);
  const search = nodeSearch(nodes, 1_000);
  for (let index = 0; index < 1_000; index += 1) {
    const [found, ...more] = search(compileSelector({ matchLabels: { name: `n${index}` } }));
    expect(found === nodes[index] && more.length === 0).toBe(true);
  }
  // Once for the index, once for the node that a selector names.
  expect(reads.count).toBeLessThan(2 * (2_000 + 1_000));
});

it.each([
  ['that have the label', { key: 'name', operator: 'DoesNotExist' }],
  [
    'of all its values',
    { key: 'name', operator: 'NotIn', values: Array.from({ length: 50 }, (_, i) => `n${i}`) },
  ],
])('asks no node for a selector that excludes all: those %s', (_, requirement) => {
  const { nodes, reads } = countedNodes(50);
  const search = nodeSearch(nodes, 1_000);
  const indexed = reads.count;
  const selector = compileSelector({ matchExpressions: [requirement] } as LabelSelector);
  expect([...search(selector)]).toEqual([]);
  expect(reads.count).toBe(indexed);
});
