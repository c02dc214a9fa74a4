import { labels, type NodePool } from '@atoll/api';
import type { Stored } from '@atoll/kube';
import { expect, it } from 'vitest';
import { keptAsFound } from './kept-as-found.ts';

it('reads the list of the nodes that an old operator counted once, however many there are', () => {
  const names = Array.from({ length: 1_000 }, (_, index) => `n${index}`);
  let reads = 0;
  const counted = Object.freeze(
    Object.defineProperties([...names], {
      [Symbol.iterator]: { value: () => ((reads += 1), names.values()) },
      includes: { value: () => ((reads += 1), true) },
    }),
  );
  const metadata = { uid: 'u', resourceVersion: '1', creationTimestamp: '' };
  const pool: Stored<NodePool> = {
    metadata: { ...metadata, name: 'hz' },
    spec: { labels: { zone: 'a', site: 'x' } },
    status: { readyNodeNum: names.length, nodes: counted },
  };
  const found = ['n0', 'n999', 'late'].map((name) => {
    const node = { metadata: { ...metadata, name, labels: { [labels.nodePool]: 'hz' } } };
    return keptAsFound(node, pool).labels;
  });
  expect(found).toEqual([{ zone: 'a', site: 'x' }, { zone: 'a', site: 'x' }, {}]);
  expect(reads).toBe(1);
});
