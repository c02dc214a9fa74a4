import { describe, expect, test } from 'vitest';
import { target } from '../../engine/rollout/target.fixture.ts';
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
    reservedPods: 2,
    updateTimedOutPods: 1,
    labelPods: [],
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

  test('is what is not ready and what is late, while the child rolls', () => {
    expect(maxUnavailableOf({ child, health, revision, target: rolling }, reserving, 5)).toBe(3);
    expect(maxUnavailableOf({ child, health, revision, target: rolling }, reserving, 2)).toBe(1);
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
    const given = { child: found, health: unseen, revision: asked, target: still };
    expect(maxUnavailableOf(given, reserving, 5)).toBe(expected);
  });

  test('is as in the template at rest, with room, and without reservation', () => {
    const still = { ...rolling, at: { revision: 'two' } };
    expect(maxUnavailableOf({ child, health, revision, target: still }, reserving, 5)).toBeUndefined();
    const roomy = { ...reserving, judgement: { ...judgement, unschedulable: false } };
    expect(maxUnavailableOf({ child, health, revision, target: rolling }, roomy, 5)).toBeUndefined();
    expect(
      maxUnavailableOf({ child, health, revision, target: rolling }, { ...reserving, mode: 'adaptive' }, 5),
    ).toBeUndefined();
  });
});
