import { describe, expect, it } from 'vitest';
import type { Target } from '../../engine/rollout/target.ts';
import type { NodeTarget } from '../fleet/nodes/node-targets.ts';
import { countingLonger } from './unresponsive-nodes.ts';

const minute = 60_000;

function nodeOf(id: string, reach: Target['reach'], stuckSince?: number): NodeTarget {
  return { target: { id, reach }, stuckSince } as unknown as NodeTarget;
}

/** Since when each node counts as away; undefined: it does not. */
function awaySince(
  nodes: readonly NodeTarget[],
  tolerated: number | string,
): readonly (number | undefined)[] {
  return countingLonger(nodes, tolerated).map(({ reach }) =>
    reach === 'reachable' ? undefined : reach.awaySince,
  );
}

describe('nodes that are away', () => {
  it('stop counting after a minute where they have been so the longest, the others nine minutes later', () => {
    const nodes = [nodeOf('a', { awaySince: 7 }), nodeOf('b', { awaySince: 5 }), nodeOf('c', 'reachable')];
    expect(awaySince(nodes, 1)).toEqual([7 + 9 * minute, 5, undefined]);
    expect(awaySince(nodes, 2)).toEqual([7, 5, undefined]);
    expect(awaySince(nodes, 0)).toEqual([7 + 9 * minute, 5 + 9 * minute, undefined]);
  });

  it('are tolerated in the order of their names where they went at once', () => {
    const nodes = [nodeOf('b', { awaySince: 5 }), nodeOf('a', { awaySince: 5 })];
    expect(awaySince(nodes, 1)).toEqual([5 + 9 * minute, 5]);
  });

  it('are tolerated up to a share of all nodes, rounded up', () => {
    const nodes = [nodeOf('a', { awaySince: 5 }), nodeOf('b', 'reachable'), nodeOf('c', 'reachable')];
    expect(awaySince(nodes, '10%')).toEqual([5, undefined, undefined]);
  });
});

it('a node with a stuck pod counts for good, unless it is one of those that are tolerated', () => {
  const nodes = [nodeOf('a', 'reachable', 3), nodeOf('b', { awaySince: 5 }), nodeOf('c', 'reachable')];
  expect(awaySince(nodes, 1)).toEqual([3, 5 + 9 * minute, undefined]);
  expect(awaySince(nodes, 0)).toEqual([undefined, 5 + 9 * minute, undefined]);
});
