import { describe, expect, test } from 'vitest';
import { target } from '../../engine/rollout/target.fixture.ts';
import { podOf } from '../scheduling/pods.fixture.ts';
import type { SubsetPod } from '../scheduling/subset-pods.ts';
import { maxUnavailableOf } from './max-unavailable.ts';
import { withMaxUnavailable } from './with-max-unavailable.ts';

describe('how many pods may be missing', () => {
  test('stands where each kind has it, and nowhere for kinds that reserve nothing', () => {
    expect(withMaxUnavailable('CloneSet', { updateStrategy: { partition: 1 } }, 3)).toEqual({
      updateStrategy: { partition: 1, maxUnavailable: 3 },
    });
    expect(withMaxUnavailable('Deployment', {}, 3)).toEqual({
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 3 } },
    });
    const recreate = { strategy: { type: 'Recreate' } };
    expect(withMaxUnavailable('Deployment', recreate, 3)).toBe(recreate);
    expect(withMaxUnavailable('StatefulSet', {}, 3)).toEqual({});
    expect(withMaxUnavailable('Deployment', recreate, undefined)).toBe(recreate);
  });

  const judgement = {
    unschedulable: true,
    marked: true,
    stuckPods: 2,
    reservedPods: 2,
    labelPods: [],
    endingPods: [],
    condition: undefined,
    requeueAt: undefined,
  };
  const rolling = target('a', { at: { revision: 'one' }, wanted: 'two', health: 'starting' });
  const child = { kind: 'Deployment', object: { metadata: {} }, subset: 'a' } as unknown as Parameters<
    typeof maxUnavailableOf
  >[0]['child'];
  const health = { readyReplicas: 3, observed: true, updated: true } as unknown as Parameters<
    typeof maxUnavailableOf
  >[0]['health'];
  const revision = { template: { spec: {} } } as unknown as Parameters<
    typeof maxUnavailableOf
  >[0]['revision'];
  const reserving = { mode: 'reservation', found: undefined, judgement } as const;

  /** So many pods that have a node. */
  const placed = (count: number) =>
    Array.from({ length: count }, (_, i) => podOf({ name: `p${i}`, state: 'unready' }) as SubsetPod);
  const given = { child, health, revision, target: rolling, pods: placed(3) };
  const stuck = (stuckPods: number) => ({ ...reserving, judgement: { ...judgement, stuckPods } });
  const asking = (maxUnavailable: number | string) =>
    ({
      template: { spec: { strategy: { rollingUpdate: { maxUnavailable } } } },
    }) as unknown as typeof revision;

  test.each<readonly [string, Partial<typeof given>, number, number, number | undefined]>([
    ['those that wait for room, and one more', {}, 2, 5, 3],
    ['as the template allows of those that have room', { pods: placed(12) }, 8, 20, 11],
    ['as the template allows in numbers', { revision: asking(2) }, 2, 5, 4],
    ['at least one more, also where the template allows none', { revision: asking(0) }, 2, 5, 3],
    ['no more than there are', { pods: [] }, 3, 2, 2],
    ['without what a rollout makes beside the others', { pods: placed(5) }, 1, 5, 1],
    ['as in the template where none waits for room, however few are ready', {}, 0, 5, undefined],
  ])('is, while the child rolls, %s', (_, more, waiting, replicas, expected) => {
    expect(maxUnavailableOf({ ...given, ...more }, stuck(waiting), replicas)).toBe(expected);
  });

  test.each([
    ['what was written', 3, '25%', 3],
    ['as in the template where that is the number', 3, 3, undefined],
    ['as in the template where no number was written', '25%', '25%', undefined],
  ])('is %s until the controller of the child has seen it', (_, written, inTemplate, expected) => {
    const spec = (maxUnavailable: number | string) => ({ strategy: { rollingUpdate: { maxUnavailable } } });
    const unseen = { ...health, observed: false } as typeof health;
    const found = { ...child, object: { metadata: {}, spec: spec(written) } } as typeof child;
    const asked = { template: { spec: spec(inTemplate) } } as unknown as typeof revision;
    const still = { ...rolling, at: { revision: 'two' } };
    const seen = { child: found, health: unseen, revision: asked, target: still, pods: [] };
    expect(maxUnavailableOf(seen, reserving, 5)).toBe(expected);
  });

  test('is as in the template at rest, with room, and without reservation', () => {
    const still = { ...rolling, at: { revision: 'two' } };
    expect(maxUnavailableOf({ ...given, target: still }, reserving, 5)).toBeUndefined();
    const roomy = { ...reserving, judgement: { ...judgement, unschedulable: false } };
    expect(maxUnavailableOf(given, roomy, 5)).toBeUndefined();
    expect(maxUnavailableOf(given, { ...reserving, mode: 'adaptive' }, 5)).toBeUndefined();
  });
});
