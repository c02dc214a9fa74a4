import { annotations, labels, type NodePool } from '@atoll/api';
import type { Node, Stored } from '@atoll/kube';
import { afterEach, expect, it, vi } from 'vitest';
import { attributesOf } from './nodes/attributes.ts';
import { decide } from './decide.ts';
import { formatRecord } from './nodes/record.ts';

const stored = { uid: 'u', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' };
const taints = [{ key: 'site', value: 'hz', effect: 'NoSchedule' as const }];
const spec: NodePool['spec'] = { labels: { region: 'hz' }, annotations: { owner: 'edge' }, taints };
const pool: Stored<NodePool> = { metadata: { ...stored, name: 'hz' }, spec };
const record = formatRecord(attributesOf(pool)) ?? '';

function member(index: number): Stored<Node> {
  return {
    metadata: {
      ...stored,
      name: `n${index}`,
      labels: { [labels.nodePool]: 'hz', region: 'hz' },
      annotations: { owner: 'edge', [annotations.previousAttributes]: record },
    },
    spec: { taints },
  };
}

afterEach(() => vi.restoreAllMocks());

it('parses the record that the nodes of a pool share once, and not for each node', () => {
  const nodes = Array.from({ length: 50 }, (_, index) => member(index));
  const parse = vi.spyOn(JSON, 'parse');
  const decision = decide({
    name: 'hz',
    pool,
    definitionOfPools: undefined,
    nodes,
    asking: [],
    certain: true,
    leftAsFound: new Set(),
    unnotedLeavers: [],
  });
  expect(decision.outdated).toEqual([]);
  expect(parse).toHaveBeenCalledTimes(1);
});
