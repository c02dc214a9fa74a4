import { describe, expect, it } from 'vitest';
import { randomWalk, storyOf } from '../simulation/story.ts';
import { noLateRequest } from '../simulation/world.ts';
import { daemonSetWorld } from '../simulation/worlds/daemon-set-world.ts';
import { nodePoolWorld } from '../simulation/worlds/node-pool-world.ts';
import { web } from '../simulation/worlds/pool-workload-objects.ts';
import { poolWorkloadWorld } from '../simulation/worlds/pool-workload-world.ts';
import { spreadWorld } from '../simulation/worlds/spread-world.ts';
import { failureOf } from './failure-of.ts';

describe('stories in a fixed order', () => {
  it('one child per pool: created, changed, one pool switched off', async () => {
    const world = spreadWorld({ name: 'one child per pool', budgets: { edit: 1, switch: 1 } });
    const story = storyOf(world, ['sets version 2', 'switches pool b off']);
    expect(story.missing ?? story.wrong).toBeUndefined();
    await expect(story.text).toMatchFileSnapshot('stories/spread.txt');
  });

  it('UnitedDaemonSet: a rollout, a pool leaves and comes back, another writer deletes a child', async () => {
    const world = poolWorkloadWorld({
      name: 'UnitedDaemonSet',
      budgets: { edit: 1, select: 2, 'other writer': 1 },
    });
    const story = storyOf(world, [
      'sets another image',
      'unlabels pool bj',
      'labels pool bj',
      'deletes Deployment',
    ]);
    expect(story.missing ?? story.wrong).toBeUndefined();
    await expect(story.text).toMatchFileSnapshot('stories/united-daemon-set.txt');
  });

  it('NodePool: a node drifts, moves, and its pool is deleted', async () => {
    const world = nodePoolWorld({ name: 'NodePool', budgets: { drift: 1, move: 1, drop: 1, flip: 1 } });
    const story = storyOf(world, ['sets zone 9', 'turns not ready', 'moves n1 to b', 'deletes NodePool b']);
    expect(story.missing ?? story.wrong).toBeUndefined();
    await expect(story.text).toMatchFileSnapshot('stories/node-pool.txt');
  });

  it('DaemonSet: a rollout, a broken template and its repair, a node that goes away and returns', async () => {
    const world = daemonSetWorld({
      name: 'DaemonSet',
      nodes: ['a', 'b', 'c'],
      images: ['v2', 'broken', 'v4', 'v5'],
      budgets: { edit: 4, away: 1 },
    });
    const story = storyOf(world, [
      'sets image v2',
      'sets image broken',
      'sets image v4',
      'a goes away',
      'sets image v5',
    ]);
    expect(story.missing ?? story.wrong).toBeUndefined();
    await expect(story.text).toMatchFileSnapshot('stories/daemon-set.txt');
  });
});

describe('larger worlds in random order: safe on the way, as desired at the end', () => {
  const seeds = Array.from({ length: 12 }, (_, index) => index + 1);

  it.each(seeds)('UnitedDaemonSet over four pools, seed %i', (seed) => {
    const budgets = { edit: 2, select: 2, 'other writer': 1, drift: 1, fault: 3 };
    const world = poolWorkloadWorld({
      name: `seed ${seed}`,
      pools: ['bj', 'hz', 'sh', 'sz'],
      budgets,
      spurious: false,
    });
    const story = randomWalk(world, seed);
    expect(failureOf(story)).toBe('');
  });

  const neighbours = [
    { namespace: 'edge', name: 'shop' },
    { namespace: 'shop', name: 'web' },
  ];
  it.each(seeds)('three workloads that select the same pools, two of one name, seed %i', (seed) => {
    const budgets = { edit: 2, select: 2, 'other writer': 1, fault: 2 };
    const owners = [web, ...neighbours];
    const world = poolWorkloadWorld({ name: `seed ${seed}`, owners, budgets, spurious: false });
    const story = randomWalk(world, seed);
    expect(failureOf(story)).toBe('');
  });

  it.each(seeds)('NodePool with five nodes, seed %i', (seed) => {
    const budgets = { move: 3, edit: 1, drift: 1, 'other writer': 1, flip: 2, fault: 3 };
    const world = nodePoolWorld({ name: `seed ${seed}`, nodes: ['n1', 'n2', 'n3', 'n4', 'n5'], budgets });
    const story = randomWalk(world, seed);
    expect(failureOf(story)).toBe('');
  });

  it.each(seeds)('a DaemonSet on six nodes, of which some go away, seed %i', (seed) => {
    const world = daemonSetWorld({
      name: `seed ${seed}`,
      nodes: ['a', 'b', 'c', 'd', 'e', 'f'],
      maxUnavailable: '2',
      images: ['v2', 'broken', 'v1', 'v5'],
      budgets: { edit: 4, away: 3, remove: 1, 'other writer': 1, fault: 3 },
      faults: noLateRequest,
      spurious: false,
    });
    const story = randomWalk(world, seed);
    expect(failureOf(story)).toBe('');
  });
});
