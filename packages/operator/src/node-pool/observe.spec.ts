import { labels, nodePools, type NodePool } from '@atoll/api';
import type { KubeObject, Stored } from '@atoll/kube';
import { expect, test } from 'vitest';
import { observe, type NodePoolReaders } from './observe.ts';

const metadata = { name: 'hz', uid: 'u', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' };
const node = { metadata: { ...metadata, name: 'n', labels: { [labels.desiredNodePool]: 'hz' } } };
const going = { ...metadata, deletionTimestamp: '2026-01-01T00:00:01Z' };

/** That many nodes are looked after by the key of the pool. */
function joining(pool: Stored<NodePool>): number | undefined {
  const reader = (objects: readonly Stored<KubeObject>[]) => ({
    resource: nodePools,
    synced: true,
    get: ({ name }: { readonly name: string }) => objects.find((each) => each.metadata.name === name),
    list: () => objects,
    by: () => objects,
  });
  const readers = {
    nodePools: reader([pool]),
    definitionOfNodePools: reader([]),
    nodes: reader([node]),
  } as unknown as NodePoolReaders;
  return observe(readers, { name: 'hz' })?.nodes.length;
}

test('a node that asks for a pool joins it, and not while the pool is being deleted', () => {
  expect(joining({ metadata })).toBe(1);
  expect(joining({ metadata: going })).toBe(0);
});
