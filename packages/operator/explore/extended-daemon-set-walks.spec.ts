// Fleets that are too large to be explored, in random order. Oracles look at each request: the budget holds at every moment, no node has two
// pods, no canary leaves its nodes, and what is promoted was Ready. In the end all is as desired.
import { describe, expect, it } from 'vitest';
import { choicesOf, randomWalk } from '../simulation/story.ts';
import { extendedDaemonSetWorld } from '../simulation/worlds/extended-daemon-set/extended-daemon-set-world.ts';
import type { ExtendedDaemonSetWorldOptions } from '../simulation/worlds/extended-daemon-set/extended-daemon-set-world.ts';
import { failureOf } from './failure-of.ts';

type Fleet = Omit<ExtendedDaemonSetWorldOptions, 'name'>;

/** A fleet of three to eight nodes to which several things happen; the seed decides which. */
function fleetOf(seed: number): Fleet {
  const { random, upTo, pick } = choicesOf(seed);
  const nodes = Array.from({ length: 3 + upTo(5) }, (_, index) => `n${index}`);
  const images = Array.from({ length: 3 }, () =>
    pick(['broken', 'crashing', 'unpullable', 'v2', 'v3', 'v4']),
  );
  const withCanary = random() < 0.7;
  return {
    nodes,
    maxUnavailable: 1 + upTo(2),
    images: [...images, 'v9'],
    ...(withCanary ? { canary: 1 + upTo(1), manual: random() < 0.2 } : {}),
    budgets: {
      edit: 1 + upTo(3),
      fault: upTo(2),
      away: upTo(2),
      remove: upTo(1),
      override: upTo(2),
      ...(withCanary ? { pause: upTo(1), unpause: upTo(1), validate: upTo(1) } : {}),
      freeze: upTo(1),
      unfreeze: upTo(1),
      'fail-over': upTo(1),
    },
  };
}

describe('random fleets of ExtendedDaemonSets', () => {
  const seeds = Array.from({ length: 24 }, (_, index) => index + 1);
  it.each(seeds)('keep every rule and end as desired, seed %i', (seed) => {
    const row = fleetOf(seed);
    const story = randomWalk(
      extendedDaemonSetWorld({ name: `seed ${seed}: ${JSON.stringify(row)}`, ...row }),
      seed,
    );
    expect(failureOf(story)).toBe('');
  });
});
