import { describe, expect, it } from 'vitest';
import type { JudgedPod } from '../../children/pods/pod-facts.ts';
import type { FoundSubsetCondition } from './judgement.ts';
import { conditionAfterAllocation, judgeReservation, type ReservationInput } from './judge-reservation.ts';
import { after, ago, condition, now, podOf } from './pods.fixture.ts';
import { conditionOfNewSubset } from './subset-condition.ts';

function judge(pods: readonly JudgedPod[], given: Partial<ReservationInput> = {}) {
  const input: ReservationInput = {
    pods,
    condition: undefined,
    windows: { criticalMs: 10_000, unschedulableMs: 5_000 },
    replicas: pods.length,
    revision: 'v2',
    updatingSince: undefined,
    partition: 0,
    ...given,
  };
  return judgeReservation(input, now);
}

interface Expected {
  readonly reserved: number;
  /** Seconds. */
  readonly again?: number;
  readonly label?: 'true' | 'false';
}

const thirty = { criticalMs: 10_000, unschedulableMs: 30_000 };

const rows: readonly (readonly [string, JudgedPod, Partial<ReservationInput>, Expected])[] = [
  [
    'T5: 3 s old and without a node',
    podOf({ state: 'unschedulable', age: 3 }),
    {},
    { reserved: 0, again: 7, label: 'false' },
  ],
  [
    'T5: 11 s old and without a node',
    podOf({ state: 'unschedulable', age: 11 }),
    {},
    { reserved: 1, again: 5, label: 'true' },
  ],
  ['T6: running and not judged yet', podOf({ state: 'ready' }), {}, { reserved: 0, label: 'false' }],
  [
    'T7: reserved and pending',
    podOf({ state: 'unschedulable', reserved: 'true' }),
    {},
    { reserved: 1, again: 5 },
  ],
  [
    'T8: reserved, ready for 3 s',
    podOf({ state: 'ready', since: 3, reserved: 'true' }),
    {},
    { reserved: 1, again: 2 },
  ],
  [
    'T8: reserved, ready for 6 s',
    podOf({ state: 'ready', since: 6, reserved: 'true' }),
    {},
    { reserved: 0, label: 'false' },
  ],
  [
    'T9: healthy and old, 11 s after the update began',
    podOf({ state: 'ready', revision: 'v1' }),
    { updatingSince: after(-11) },
    { reserved: 1, label: 'true' },
  ],
  [
    'T9: healthy and old, 4 s after the update began',
    podOf({ state: 'ready', revision: 'v1' }),
    { updatingSince: after(-4) },
    { reserved: 0, again: 6, label: 'false' },
  ],
  ['T10: going', podOf({ state: 'unschedulable', terminating: true }), { replicas: 0 }, { reserved: 0 }],
  [
    'T11: fresh, in a subset with room',
    podOf({ state: 'unschedulable', age: 1 }),
    { windows: thirty },
    { reserved: 0, again: 9, label: 'false' },
  ],
  [
    'T12: fresh, in a marked subset',
    podOf({ state: 'unschedulable', age: 1 }),
    { windows: thirty, condition: condition('False', 60) },
    { reserved: 1, again: 30, label: 'true' },
  ],
  ['judged normal before', podOf({ state: 'ready', reserved: 'false' }), {}, { reserved: 0 }],
  [
    'judged normal before, in a marked subset',
    podOf({ state: 'ready', since: 1, reserved: 'false' }),
    { condition: condition('False', 60) },
    { reserved: 0 },
  ],
  [
    'normal before, and without a node since its last move',
    podOf({ state: 'unschedulable', age: 60, reserved: 'false' }),
    {},
    { reserved: 1, again: 5, label: 'true' },
  ],
  [
    'long ready and not judged yet, in a marked subset',
    podOf({ state: 'ready', since: 60 }),
    { condition: condition('False', 60) },
    { reserved: 0, label: 'false' },
  ],
  [
    'reserved and old, though ready',
    podOf({ state: 'ready', since: 60, reserved: 'true', revision: 'v1' }),
    { updatingSince: after(-60) },
    { reserved: 1 },
  ],
  [
    'old where nothing is being updated',
    podOf({ state: 'ready', revision: 'v1' }),
    {},
    { reserved: 0, label: 'false' },
  ],
  [
    'old and held back by the partition',
    podOf({ state: 'ready', revision: 'v1' }),
    { updatingSince: after(-60), partition: 1 },
    { reserved: 0, label: 'false' },
  ],
  [
    'held back by the partition, 11 s old and without a node',
    podOf({ state: 'unschedulable', age: 11, revision: 'v1' }),
    { updatingSince: after(-60), partition: 1 },
    { reserved: 1, again: 5, label: 'true' },
  ],
  [
    'held back by the partition, 3 s old and without a node',
    podOf({ state: 'unschedulable', age: 3, revision: 'v1', reserved: 'false' }),
    { updatingSince: after(-60), partition: 1 },
    { reserved: 0, again: 7 },
  ],
  [
    'held back by the partition, reserved and ready for 6 s',
    podOf({ state: 'ready', since: 6, reserved: 'true', revision: 'v1' }),
    { updatingSince: after(-60), partition: 1 },
    { reserved: 0, label: 'false' },
  ],
  [
    'held back by the partition, reserved and ready for 3 s',
    podOf({ state: 'ready', since: 3, reserved: 'true', revision: 'v1' }),
    { updatingSince: after(-60), partition: 1 },
    { reserved: 1, again: 2 },
  ],
  [
    'old where nothing is being updated, and without a node',
    podOf({ state: 'unschedulable', age: 11, revision: 'v1', reserved: 'false' }),
    {},
    { reserved: 1, again: 5, label: 'true' },
  ],
  [
    'old and without a node, 4 s after the update began',
    podOf({ state: 'unschedulable', age: 3, revision: 'v1', reserved: 'false' }),
    { updatingSince: after(-4) },
    { reserved: 0, again: 6 },
  ],
  [
    'reserved and ended by itself',
    podOf({ state: 'failed', reserved: 'true' }),
    { replicas: 0 },
    { reserved: 0 },
  ],
  [
    'reserved and going',
    podOf({ state: 'unready', reserved: 'true', terminating: true }),
    { replicas: 0 },
    { reserved: 0 },
  ],
];

it.each(rows)('%s', (_title, pod, given, { reserved, again, label }) => {
  const judgement = judge([pod], given);
  expect(judgement).toMatchObject({
    reservedPods: reserved,
    unschedulable: reserved > 0,
    requeueAt: again === undefined ? undefined : after(again),
  });
  expect(judgement.labelPods).toEqual(label === undefined ? [] : [{ name: 'p', uid: 'uid-p', value: label }]);
  expect(judgement.condition?.status).toBe(reserved > 0 ? 'False' : 'True');
});

describe('a subset', () => {
  it('labels each pod once, in the order of their names', () => {
    const pods = ['c', 'a', 'b'].map((name) => podOf({ name, state: 'ready' }));
    expect(judge(pods).labelPods.map(({ name }) => name)).toEqual(['a', 'b', 'c']);
  });

  it('counts pods that do not exist yet as reserved while it is marked', () => {
    expect(judge([], { replicas: 3, condition: condition('False', 60) })).toMatchObject({
      reservedPods: 3,
      unschedulable: true,
    });
    expect(judge([], { replicas: 3, condition: condition('True', 60) })).toMatchObject({
      reservedPods: 0,
      unschedulable: false,
    });
    expect(judge([], { replicas: 3 })).toMatchObject({ reservedPods: 0 });
  });

  it('holds back the ready pods before others', () => {
    const pods = [
      podOf({ name: 'a', state: 'ready', revision: 'v1', reserved: 'true' }),
      podOf({ name: 'b', state: 'unready', revision: 'v1' }),
      podOf({ name: 'c', state: 'ready', revision: 'v1' }),
    ];
    const judgement = judge(pods, { updatingSince: after(-60), partition: 1 });
    expect(judgement.reservedPods).toBe(2);
    expect(judgement.labelPods).toEqual([
      { name: 'b', uid: 'uid-b', value: 'true' },
      { name: 'c', uid: 'uid-c', value: 'false' },
    ]);
  });

  it('keeps the time of a condition that it writes again', () => {
    const pods = [podOf({ state: 'unschedulable', reserved: 'true' })];
    expect(judge(pods, { condition: condition('False', 60) }).condition?.lastTransitionTime).toBe(ago(60));
    expect(judge(pods, { condition: condition('False', 60, 'created') }).condition?.lastTransitionTime).toBe(
      ago(0),
    );
  });

  it('that is new to a running workload starts with all its pods reserved', () => {
    const created = conditionOfNewSubset(now);
    expect(created).toMatchObject({ status: 'False', reason: 'created' });
    expect(
      judge([podOf({ state: 'unready', age: 1 })], { condition: created, replicas: 2 }).reservedPods,
    ).toBe(2);
  });
});

describe('T13: after allocation a subset that was marked and has no reserved pods', () => {
  const pods = [podOf({ state: 'ready', since: 60, reserved: 'false' })];
  const found: FoundSubsetCondition = condition('False', 60);

  it.each([
    [10, 10, 'True'],
    [10, 15, 'False'],
    [15, 10, 'True'],
  ])('from %d to %d says %s', (from, to, status) => {
    const judgement = judge(pods, { condition: found });
    expect(judgement).toMatchObject({ marked: true, unschedulable: false });
    expect(conditionAfterAllocation(judgement, found, { from, to }, now)?.status).toBe(status);
  });

  it('stays marked since when it was', () => {
    const next = conditionAfterAllocation(judge(pods, { condition: found }), found, { from: 1, to: 2 }, now);
    expect(next?.lastTransitionTime).toBe(ago(60));
  });

  it('and was never marked is left as it was judged', () => {
    const judgement = judge(pods, { condition: condition('True', 60) });
    expect(conditionAfterAllocation(judgement, condition('True', 60), { from: 1, to: 5 }, now)?.status).toBe(
      'True',
    );
  });
});
