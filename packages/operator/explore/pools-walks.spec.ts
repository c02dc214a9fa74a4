// Worlds that are too large to be explored, in random order: nodes go from pool to pool, and pools come and go, while caches are behind.
import { describe, expect, it } from 'vitest';
import { choicesOf, randomWalk } from '../simulation/story.ts';
import { nodePoolWorld } from '../simulation/worlds/node-pool-world.ts';
import type { NodePoolWorldOptions } from '../simulation/worlds/node-pool-world.ts';
import { poolWorkloadWorld } from '../simulation/worlds/pool-workload-world.ts';
import type { PoolWorkloadWorldOptions } from '../simulation/worlds/pool-workload-world.ts';
import { failureOf } from './failure-of.ts';

const seeds = Array.from({ length: 12 }, (_, index) => index + 1);

/** Two to four nodes between two pools that mostly give the same keys; the seed decides what happens. */
function poolsOf(seed: number): Omit<NodePoolWorldOptions, 'name'> {
  const { random, upTo } = choicesOf(seed);
  const by = random() < 0.5 ? 'nodepool' : 'desired-nodepool';
  // What a pool that is made again gives may be taken off as long as no cache holds it.
  const isMadeAgain = random() < 0.5;
  return {
    by,
    nodes: Array.from({ length: 2 + upTo(2) }, (_, index) => `n${index}`),
    ...(random() < 0.7 ? { conflicting: true as const } : {}),
    ...(random() < 0.3 ? { slowPools: true as const } : {}),
    lag: isMadeAgain ? 0 : 4,
    spurious: false,
    budgets: {
      move: 4 + upTo(6),
      ask: upTo(2),
      edit: upTo(2),
      drop: upTo(2),
      again: isMadeAgain ? 2 : 0,
      drift: upTo(2),
      retaint: upTo(1),
      'other writer': upTo(1),
      remove: upTo(1),
      register: 1,
      flip: upTo(1),
      'fail-over': upTo(1),
    },
  };
}

describe('nodes that go from pool to pool, while pools are deleted and made again', () => {
  it.each(seeds)('end as their pool wants them, seed %i', (seed) => {
    const row = poolsOf(seed);
    const story = randomWalk(nodePoolWorld({ name: `seed ${seed}: ${JSON.stringify(row)}`, ...row }), seed);
    expect(failureOf(story)).toBe('');
  });
});

function workloadOf(seed: number): Omit<PoolWorkloadWorldOptions, 'name'> {
  const { random, upTo } = choicesOf(seed);
  const changesKind = random() < 0.3;
  return {
    pools: ['hz', 'bj', 'sh'].slice(0, 2 + upTo(1)),
    ...(random() < 0.3 ? { slowPools: true as const } : {}),
    lag: 4,
    spurious: false,
    budgets: {
      edit: upTo(3),
      // These are of Deployments.
      ...(changesKind ? { kind: 1 } : { scale: upTo(1), relabel: upTo(1) }),
      select: 2 + upTo(4),
      taint: 1 + upTo(3),
      drop: upTo(2),
      'pool again': upTo(2),
      drift: upTo(1),
      fault: upTo(1),
      'fail-over': upTo(1),
    },
  };
}

describe('workloads whose pools come and go while they roll out', () => {
  it.each(seeds)('end with one child in each pool, seed %i', (seed) => {
    const row = workloadOf(seed);
    const story = randomWalk(
      poolWorkloadWorld({ name: `seed ${seed}: ${JSON.stringify(row)}`, ...row }),
      seed,
    );
    expect(failureOf(story)).toBe('');
  });
});
