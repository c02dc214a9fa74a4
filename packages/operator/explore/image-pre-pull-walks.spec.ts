// The owner of a node asks for images, takes that back and upgrades, in random order, while the template changes, Jobs fail or are deleted, requests are lost and operators
// follow each other with old caches. Each request is answered in the end, for the revision that it names, and no Job is left.
import { describe, expect, it } from 'vitest';
import { choicesOf, randomWalk } from '../simulation/story.ts';
import { imagePrePullWorld } from '../simulation/worlds/image-pre-pull-world.ts';
import type { PrePullBug, PrePullWorldOptions } from '../simulation/worlds/image-pre-pull-world.ts';
import { failureOf } from './failure-of.ts';

function worldOf(seed: number, bug?: PrePullBug): PrePullWorldOptions {
  const { upTo, pick } = choicesOf(seed);
  const row = {
    images: pick([
      ['v2', 'v3', 'v4'],
      ['v2', 'v1', 'v2'],
      ['v2', 'v3', 'v2'],
    ]),
    lag: pick([1, 4]),
    spurious: false,
    standStill: ['pods', 'jobs.batch', 'controllerrevisions.apps', 'daemonsets.apps'].slice(0, upTo(4)),
    budgets: {
      edit: 1 + upTo(2),
      ask: 1 + upTo(3),
      'take back': upTo(2),
      upgrade: upTo(1),
      fail: upTo(1),
      'delete job': upTo(2),
      fault: upTo(1),
      'fail-over': upTo(1),
    },
    ...(bug === undefined ? {} : { bug }),
  };
  return { name: `seed ${seed}: ${JSON.stringify(row)}`, ...row };
}

const seeds = Array.from({ length: 40 }, (_, index) => index + 1);

describe('random requests for images', () => {
  it.each(seeds)('are answered, and leave no Job, seed %i', (seed) => {
    const story = randomWalk(imagePrePullWorld(worldOf(seed)), seed);
    expect(failureOf(story)).toBe('');
  });

  it.each<[PrePullBug, RegExp]>([
    ['jobs-not-cleared', /^Job \S+ is left$/],
    ['answers-by-old-caches', /nobody asked for|another revision/],
  ])('find the planted bug %s', (bug, report) => {
    const found = seeds.map((seed) => {
      const { wrong, missing } = randomWalk(imagePrePullWorld(worldOf(seed, bug)), seed);
      return wrong ?? missing ?? '';
    });
    expect(found.find((each) => report.test(each))).toBeDefined();
  });
});
