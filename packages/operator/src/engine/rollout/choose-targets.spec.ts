import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import type { BudgetRule } from './budget.ts';
import { chooseTargets, isForItsPlace, type TargetsInput, type RolloutLimits } from './choose-targets.ts';
import { rankedBy, zonesInterleaved } from './order.ts';
import { joinTargetHolds, type HoldRule } from './target-hold.ts';
import { anyTargets, target } from './target.fixture.ts';
import { isAtWanted, type Target } from './target.ts';

const minute = 60_000;
const now = 100_000;

function budget(value: BudgetRule['value']): BudgetRule {
  return { value, base: 'all', rounding: 'up', atLeast: 0 };
}

function limits(over: Partial<RolloutLimits> = {}): RolloutLimits {
  return { unavailable: budget(1), away: { countsForMs: minute }, order: [], holds: [], ...over };
}

function choose(targets: readonly Target[], over: Partial<TargetsInput> = {}) {
  return chooseTargets({ targets, limits: limits(), now, ...over });
}

/** `a start new, b hold NodeNotReady`. */
function textOf(targets: readonly Target[], over: Partial<TargetsInput> = {}): string {
  return [...choose(targets, over).byTarget]
    .map(([id, answer]) => `${id} ${answer.do} ${answer.do === 'hold' ? answer.reason : answer.revision}`)
    .join(', ');
}

const paused: HoldRule = () => ({
  reason: 'Paused',
  waitsFor: 'person',
  waitingUntil: 'the annotation is taken away',
});
const isNew = { at: { revision: 'new' } } as const;

describe('each target gets an answer', () => {
  const away = { reach: { awaySince: now - minute } } as const;
  const rows: readonly [string, readonly Target[], Partial<TargetsInput>, string][] = [
    ['what runs what it should is kept', [target('a', isNew)], {}, 'a keep new'],
    [
      'what differs is started, as many as may be',
      [target('b'), target('a')],
      {},
      'a start new, b hold MaxUnavailableReached',
    ],
    [
      'where nothing runs, it is created, whatever is spent',
      [target('a', { at: 'nothing', health: 'gone' }), target('b')],
      {},
      'a create new, b hold MaxUnavailableReached',
    ],
    ['what runs there is not known', [target('a', { at: 'unknown' })], {}, 'a start new'],
    [
      'the old child of another kind is what runs',
      [target('a', { at: { revision: 'old', kind: 'StatefulSet' } })],
      {},
      'a start new',
    ],
    [
      'broken ones first, and inside the budget',
      [target('a'), target('b', { health: 'broken' }), target('c', { health: 'starting' })],
      {},
      'b start new, c hold MaxUnavailableReached, a hold MaxUnavailableReached',
    ],
    [
      'a broken new revision stops',
      [target('a', { ...isNew, health: 'broken' }), target('b')],
      {},
      'a keep new, b hold MaxUnavailableReached',
    ],
    [
      'and its repair is not held up',
      [target('a', { ...isNew, wanted: 'newest', health: 'broken' }), target('b', { wanted: 'newest' })],
      {},
      'a start newest, b hold MaxUnavailableReached',
    ],
    [
      'what is away is not changed and holds up nothing',
      [target('a', { ...away, health: 'starting' }), target('b')],
      {},
      'a hold NodeNotReady, b start new',
    ],
    [
      'what is being deleted is not deleted again',
      [target('a', { health: 'gone' })],
      {},
      'a hold BeingDeleted',
    ],
    [
      'the policy wants an older revision of one',
      [target('a', { wanted: 'old' }), target('b')],
      {},
      'a keep old, b start new',
    ],
    [
      'a rule holds',
      [target('a'), target('b', isNew)],
      { limits: limits({ holds: [paused] }) },
      'a hold Paused, b keep new',
    ],
    [
      'while a rule holds, what joins gets nothing',
      [target('a', { at: 'nothing' })],
      { limits: limits({ holds: [paused] }) },
      'a hold Paused',
    ],
    [
      'or what the others have',
      [target('a', { at: 'nothing' })],
      { limits: limits({ holds: [paused], revisionWhileHeld: 'old' }) },
      'a create old',
    ],
    [
      'as many are created as may be at once',
      ['a', 'b', 'c'].map((id) => target(id, { at: 'nothing' })),
      { limits: limits({ creations: { atMost: 2 } }) },
      'a create new, b create new, c hold CreationLimitReached',
    ],
    [
      'batches keep their distance',
      [target('a')],
      { limits: limits({ batches: { everyMs: 10_000 } }), lastBatchAt: now - 9_999 },
      'a hold BatchInterval',
    ],
    [
      'and no more than that',
      [target('a')],
      { limits: limits({ batches: { everyMs: 10_000 } }), lastBatchAt: now - 10_000 },
      'a start new',
    ],
    [
      'a budget of 0',
      [target('a')],
      { limits: limits({ unavailable: budget(0) }) },
      'a hold MaxUnavailableReached',
    ],
    [
      'zones in turn',
      [target('a', { zone: 'x' }), target('b', { zone: 'x' }), target('c', { zone: 'y' })],
      { limits: limits({ unavailable: budget(2), order: [zonesInterleaved] }) },
      'a start new, c start new, b hold MaxUnavailableReached',
    ],
  ];
  test.each(rows)('%s', (_name, targets, over, expected) => {
    expect(textOf(targets, over)).toBe(expected);
  });

  it('for any targets, in an order that does not depend on how they are listed', () => {
    const shuffled = anyTargets.chain((targets) =>
      fc.tuple(
        fc.constant(targets),
        fc.shuffledSubarray([...targets], { minLength: targets.length }),
        fc.constantFrom<TargetsInput['limits']>('all', limits({ order: [zonesInterleaved] })),
      ),
    );
    fc.assert(
      fc.property(shuffled, ([targets, others, given]) => {
        const { byTarget } = choose(targets, { limits: given });
        expect([...byTarget.keys()].sort()).toEqual(targets.map(({ id }) => id).sort());
        expect([...choose(others, { limits: given }).byTarget]).toEqual([...byTarget]);
      }),
    );
  });
});

describe('a held target has a reason, and the moment to requeue', () => {
  it('in plain words', () => {
    const targets = ['a', 'b', 'c'].map((id) => target(id));
    const { byTarget } = choose(targets, { limits: limits({ unavailable: budget(2) }) });
    expect(byTarget.get('c')).toEqual({
      do: 'hold',
      reason: 'MaxUnavailableReached',
      waitsFor: 'health',
      waitingUntil: 'the number of targets that are unavailable or being changed is below 2 (now 2: a, b)',
    });
  });

  it('when what is away stops counting', () => {
    const away = target('a', { health: 'starting', reach: { awaySince: now - 20_000 } });
    const { byTarget, requeueAt } = choose([away, target('b')]);
    expect(byTarget.get('b')).toMatchObject({ do: 'hold', until: now + 40_000 });
    expect(requeueAt).toBe(now + 40_000);
  });

  it('when the next batch may go, or more may be created', () => {
    const targets = [target('a'), target('b', { at: 'nothing' })];
    const given = limits({ batches: { everyMs: 5000 }, creations: { atMost: 0, moreAt: now + 3000 } });
    const found = choose(targets, { limits: given, lastBatchAt: now });
    expect(found.byTarget.get('a')).toMatchObject({ reason: 'BatchInterval', until: now + 5000 });
    expect(found.byTarget.get('b')).toMatchObject({
      waitingUntil: 'slow start allows one more to be created',
    });
    expect(found.requeueAt).toBe(now + 3000);
  });

  it('and those that wait for the same are one hold', () => {
    const { byTarget } = choose(['c', 'b', 'a'].map((id) => target(id)));
    const held = [...byTarget].flatMap(([id, answer]) =>
      answer.do === 'hold' ? [[id, answer] as const] : [],
    );
    expect(joinTargetHolds(held)).toMatchObject([
      { reason: 'MaxUnavailableReached', targets: ['b', 'c'], count: 2, bad: false },
    ]);
  });

  it('never at a moment that is over', () => {
    fc.assert(
      fc.property(anyTargets, fc.nat(200_000), (targets, at) => {
        expect(choose(targets, { now: at }).requeueAt ?? Infinity).toBeGreaterThan(at);
      }),
    );
  });
});

it('while a rule holds all, nothing is started, and what joins gets what the others have', () => {
  fc.assert(
    fc.property(anyTargets, (targets) => {
      const { byTarget } = choose(targets, {
        limits: limits({ holds: [paused], revisionWhileHeld: 'older' }),
      });
      for (const each of targets) {
        const expected = each.at === 'nothing' ? 'create older' : isAtWanted(each) ? 'keep' : 'hold';
        const answer = byTarget.get(each.id);
        const found = answer?.do === 'create' ? `create ${answer.revision}` : answer?.do;
        expect(found).toBe(expected);
      }
    }),
  );
});

it('what goes last gives its place to what is healthier', () => {
  const targets = [target('a', { health: 'broken' }), target('b', { health: 'starting' })];
  expect(textOf(targets)).toBe('a start new, b hold MaxUnavailableReached');
  const last = rankedBy(({ id }) => (id === 'a' ? 1 : 0));
  expect(textOf(targets, { limits: limits({ last }) })).toBe('b start new, a hold MaxUnavailableReached');
});

it('without limits everything that differs is started at once, and what is missing is made', () => {
  fc.assert(
    fc.property(anyTargets, (targets) => {
      const { byTarget } = choose(targets, { limits: 'all' });
      for (const each of targets) {
        const expected = each.at === 'nothing' ? 'create' : isAtWanted(each) ? 'keep' : 'start';
        expect(byTarget.get(each.id)).toEqual({ do: expected, revision: each.wanted });
      }
    }),
  );
});

// reference/extendeddaemonset.md 3.10: N, all, available, oldAvailable, oldUnavailable, M, maxCreation → create, delete.
test.each([
  [10, 0, 0, 0, 0, 5, 20, 10, 0],
  [10, 0, 0, 0, 0, 5, 5, 5, 0],
  [10, 7, 0, 0, 0, 5, 5, 3, 0],
  [10, 7, 5, 0, 0, 5, 5, 3, 0],
  [10, 10, 7, 0, 0, 5, 5, 0, 0],
  [10, 10, 7, 3, 0, 5, 5, 0, 3],
  [10, 10, 5, 5, 0, 3, 5, 0, 3],
  [10, 7, 7, 0, 0, 3, 5, 3, 0],
  [10, 10, 9, 0, 0, 3, 5, 0, 0],
  [10, 10, 0, 10, 0, 3, 5, 0, 3],
  [166, 149, 0, 149, 0, 19, 20, 17, 2],
  [10, 10, 7, 0, 3, 3, 5, 0, 3],
  [10, 10, 7, 1, 2, 3, 5, 0, 3],
  [10, 10, 4, 2, 4, 3, 5, 0, 3],
])(
  'as an ExtendedDaemonSet: %i nodes, %i pods, %i new, %i old, %i old and broken, %i of them, %i at once: %i and %i',
  (n, all, available, oldAvailable, oldUnavailable, m, atMost, create, remove) => {
    const kinds: readonly [number, Partial<Target>][] = [
      [available, isNew],
      [oldAvailable, {}],
      [oldUnavailable, { health: 'broken' }],
      [all - available - oldAvailable - oldUnavailable, { ...isNew, health: 'starting' }],
      [n - all, { at: 'nothing', health: 'gone' }],
    ];
    const targets = kinds.flatMap(([count, over], kind) =>
      Array.from({ length: count }, (_, i) => target(`${kind}-${i}`, over)),
    );
    const { byTarget } = choose(targets, {
      limits: limits({ unavailable: budget(m), creations: { atMost } }),
    });
    const count = (does: string) => [...byTarget.values()].filter((answer) => answer.do === does).length;
    expect([count('create'), count('start')]).toEqual([create, remove]);
  },
);

it.each<readonly [string, Target, Partial<RolloutLimits>, boolean]>([
  ['it is started', target('b'), {}, true],
  ['others are unavailable', target('b'), { unavailable: budget(1) }, true],
  ['none may be unavailable, until a person changes that', target('b'), { unavailable: budget(0) }, false],
  ['it is paused', target('b'), { holds: [paused] }, false],
  ['its node is away', target('b', { reach: { awaySince: now } }), {}, false],
  ['it runs what it should', target('b', isNew), {}, false],
])('is changed for its place where only that is waited for: %s', (_, asked, over, isFor) => {
  const broken = target('a', { health: 'broken', reach: { awaySince: now } });
  const targets = over.unavailable === undefined ? [asked] : [broken, asked];
  const answer = new Map(choose(targets, { limits: limits(over) }).byTarget).get('b');
  expect(answer && isForItsPlace(answer)).toBe(isFor);
});
