// Worlds that are too large to be explored, in random order: the cache of each resource is behind by itself, by up to four changes.
import type { Subset } from '@atoll/api';
import { describe, expect, it } from 'vitest';
import { choicesOf, randomWalk } from '../simulation/story.ts';
import { unitedDeploymentWorld } from '../simulation/worlds/united-deployment/united-deployment-world.ts';
import type { UnitedDeploymentWorldOptions } from '../simulation/worlds/united-deployment/united-deployment-world.ts';
import { failureOf } from './failure-of.ts';

type Row = Omit<UnitedDeploymentWorldOptions, 'name'>;

/** A workload of two to four subsets to which several things happen; the seed decides which. */
function workloadOf(seed: number): Row {
  const { random, upTo, pick } = choicesOf(seed);
  const names = ['a', 'b', 'c', 'd'].slice(0, 2 + upTo(2));
  const manner = pick(['fixed', 'bounded', 'adaptive', 'reserving'] as const);
  const subsets = names.map((name, index): Subset => {
    if (manner === 'fixed') return { name };
    return index === names.length - 1
      ? { name }
      : { name, ...(random() < 0.5 ? { maxReplicas: 1 + upTo(2) } : {}) };
  });
  const withPods = manner === 'adaptive' || manner === 'reserving';
  const type = 'Adaptive' as const;
  const kind = withPods
    ? 'CloneSet'
    : pick(['Deployment', 'StatefulSet', 'AdvancedStatefulSet', 'CloneSet'] as const);
  const isHeld = kind !== 'Deployment' && random() < 0.4;
  return {
    kind,
    subsets,
    total: 1 + upTo(4),
    totals: [0, 2, 3, 5],
    lag: 4,
    spurious: false,
    ...(withPods
      ? {
          patient: true,
          updates: true,
          rooms: names.map((_, index) => (index === names.length - 1 ? 9 : upTo(3))),
        }
      : {}),
    ...(manner === 'adaptive' ? { schedule: { type } } : {}),
    ...(manner === 'reserving' ? { schedule: { type, adaptive: { reserveUnschedulablePods: true } } } : {}),
    ...(isHeld ? { strategy: { type: 'Manual', manualUpdate: { partitions: { a: 1 + upTo(3) } } } } : {}),
    budgets: {
      edit: upTo(2),
      scale: upTo(2),
      subset: manner === 'fixed' ? upTo(2) : manner === 'reserving' ? 2 * upTo(1) : 0,
      ...(manner === 'adaptive' ? { 'other writer': upTo(1) } : {}),
      patch: upTo(1),
      fault: upTo(2),
      ...(withPods
        ? { time: 30 }
        : { kind: !isHeld && (kind === 'Deployment' || kind === 'StatefulSet') ? upTo(1) : 0 }),
      ...(isHeld ? { release: upTo(1) } : {}),
      'fail-over': withPods ? 0 : upTo(1),
    },
  };
}

describe('random UnitedDeployments whose caches are behind', () => {
  const seeds = Array.from({ length: 16 }, (_, index) => index + 1);
  it.each(seeds)('keep every rule and end as desired, seed %i', (seed) => {
    const row = workloadOf(seed);
    const story = randomWalk(
      unitedDeploymentWorld({ name: `seed ${seed}: ${JSON.stringify(row)}`, ...row }),
      seed,
    );
    expect(failureOf(story)).toBe('');
  });
});
