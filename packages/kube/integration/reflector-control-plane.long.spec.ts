import { startControlPlane } from '@atoll/testbed';
import { expect, test } from 'vitest';
import { holdManyPods, small } from './many-pods.ts';

test(
  'informers hold 5,000 nodes and 20,000 pods in little memory, on one request each',
  { timeout: 600_000 },
  async () => {
    await using controlPlane = await startControlPlane(small);
    const { ends, grown } = await holdManyPods(controlPlane, { nodes: 5_000, pods: 20_000 });
    expect(ends).toEqual([]);
    expect(grown).toBeLessThan(250_000_000);
  },
);
