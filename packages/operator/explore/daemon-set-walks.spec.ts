// Fleets that are too large to be explored, in random order: people change their minds about a DaemonSet in the middle of its upgrade, nodes go away, and operators
// follow each other with old caches. Oracles look at each request: the budget holds, and no pod is deleted that is to stay. In the end all is as desired.
import { describe, expect, it } from 'vitest';
import { choicesOf, randomWalk } from '../simulation/story.ts';
import { daemonSetWorld } from '../simulation/worlds/daemon-set-world.ts';
import type { DaemonSetWorldOptions } from '../simulation/worlds/daemon-set-world.ts';
import { failureOf } from './failure-of.ts';

/** Two to four nodes; the seed decides what happens. */
function fleetOf(seed: number): Omit<DaemonSetWorldOptions, 'name'> {
  const { upTo, pick } = choicesOf(seed);
  return {
    nodes: ['a', 'b', 'c', 'd'].slice(0, 2 + upTo(2)),
    strategy: pick(['OTA', 'AdvancedRollingUpdate']),
    maxUnavailable: pick(['1', '2', '50%']),
    images: pick([
      ['v2', 'v1', 'v2', 'v3'],
      ['broken', 'v3', 'v1', 'v3'],
      ['v2', 'v3', 'v1', 'v2'],
    ]),
    lag: pick([1, 4]),
    spurious: false,
    standStill: ['daemonsets.apps', 'controllerrevisions.apps', 'nodes', 'pods'].slice(0, upTo(4)),
    budgets: {
      edit: 1 + upTo(3),
      switch: upTo(3),
      'take off': upTo(1),
      'put on again': upTo(1),
      pause: 2 * upTo(1),
      limit: upTo(2),
      exclude: upTo(2),
      away: upTo(1),
      remove: upTo(1),
      'delete revision': upTo(1),
      'adopt revision': upTo(1),
      'other writer': upTo(1),
      fault: upTo(1),
      'fail-over': upTo(1),
    },
  };
}

describe('random fleets of DaemonSets', () => {
  const seeds = Array.from({ length: 40 }, (_, index) => index + 1);
  it.each(seeds)('keep every rule and end as desired, seed %i', (seed) => {
    const row = fleetOf(seed);
    const story = randomWalk(daemonSetWorld({ name: `seed ${seed}: ${JSON.stringify(row)}`, ...row }), seed);
    expect(failureOf(story)).toBe('');
  });
});
