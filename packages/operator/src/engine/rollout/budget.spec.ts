import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { allowedBy, budgetSize, spendingOf, type AwayRule, type BudgetRule } from './budget.ts';
import { anyTargets, target } from './target.fixture.ts';
import type { Target } from './target.ts';

const minute = 60_000;
const now = 10 * minute;
const away: AwayRule = { countsForMs: minute };
const three: BudgetRule = { value: 3, base: 'all', rounding: 'up', atLeast: 1 };

describe('the size of a budget has a base and a rounding of its own', () => {
  // reference/openyurt.md 4.3: 10 % of the nodes that count, rounded up, at least 1.
  const advancedRollingUpdate: BudgetRule = { value: '10%', base: 'counting', rounding: 'up', atLeast: 1 };
  // reference/extendeddaemonset.md 3.10: of all eligible nodes, rounded up; 0 is allowed.
  const extendedDaemonSet: BudgetRule = { value: '10%', base: 'all', rounding: 'up', atLeast: 0 };
  // As Deployments of Kubernetes round it.
  const roundedDown: BudgetRule = { value: '25%', base: 'all', rounding: 'down', atLeast: 0 };
  const rows: readonly [BudgetRule, { readonly all: number; readonly counting: number }, number][] = [
    [advancedRollingUpdate, { all: 100, counting: 100 }, 10],
    [advancedRollingUpdate, { all: 100, counting: 90 }, 9],
    [advancedRollingUpdate, { all: 11, counting: 11 }, 2],
    [advancedRollingUpdate, { all: 10, counting: 10 }, 1],
    [advancedRollingUpdate, { all: 1, counting: 1 }, 1],
    [advancedRollingUpdate, { all: 10, counting: 0 }, 1],
    [{ ...advancedRollingUpdate, value: '0%' }, { all: 100, counting: 100 }, 1],
    [{ ...advancedRollingUpdate, value: -3 }, { all: 100, counting: 100 }, 1],
    [{ ...advancedRollingUpdate, value: 7 }, { all: 5, counting: 5 }, 7],
    [{ ...advancedRollingUpdate, value: '100%' }, { all: 5, counting: 4 }, 4],
    [extendedDaemonSet, { all: 166, counting: 100 }, 17],
    [extendedDaemonSet, { all: 0, counting: 0 }, 0],
    [{ ...extendedDaemonSet, value: 0 }, { all: 10, counting: 10 }, 0],
    [{ ...extendedDaemonSet, value: '7%' }, { all: 100, counting: 100 }, 7],
    [roundedDown, { all: 7, counting: 7 }, 1],
    [roundedDown, { all: 3, counting: 3 }, 0],
  ];
  test.each(rows)('%j of %j is %i', (rule, counts, expected) => {
    expect(budgetSize(rule, counts)).toBe(expected);
  });
});

describe('what is spent', () => {
  const spent = (targets: readonly Target[]) =>
    [...spendingOf(targets, { unavailable: three, away }, now).spent].sort().join(' ');

  const fleet = [
    target('a'),
    target('b', { health: 'broken' }),
    target('c', { health: 'starting', at: { revision: 'new' } }),
    target('d', { at: 'nothing' }),
    target('e', { health: 'gone' }),
  ];
  test.each<[string, string, string]>([['what does not serve', spent(fleet), 'b c d e']])(
    '%s',
    (_name, found, expected) => {
      expect(found).toBe(expected);
    },
  );

  const lost = (id: string, since: number, over: Partial<Target> = {}) =>
    target(id, { health: 'starting', reach: { awaySince: now - since }, ...over });
  test.each<[string, string, string]>([
    ['away for less than a minute', spent([lost('a', minute - 1)]), 'a'],
    ['away for a minute', spent([lost('a', minute)]), ''],
    ['away, and as healthy as it was', spent([lost('a', 0, { health: 'healthy' })]), ''],
  ])('%s', (_name, found, expected) => {
    expect(found).toBe(expected);
  });

  it('returns when the next one stops counting', () => {
    const targets = [lost('a', 5 * minute), lost('b', 20_000), lost('c', 50_000)];
    const rules = { unavailable: three, away };
    expect(spendingOf(targets, rules, now).nextExemptAt).toBe(now + 10_000);
    expect(spendingOf(targets.slice(0, 1), rules, now).nextExemptAt).toBeUndefined();
  });

  it('takes a percentage of those that count only where the rule asks for it', () => {
    const targets = [lost('a', 5 * minute), target('b'), target('c')];
    const size = (base: BudgetRule['base']) => {
      const unavailable: BudgetRule = { value: '100%', base, rounding: 'up', atLeast: 1 };
      return spendingOf(targets, { unavailable, away }, now).size;
    };
    expect(size('all')).toBe(3);
    expect(size('counting')).toBe(2);
  });
});

it('takes a percentage of what counts: without what is away and serves as it did', () => {
  const unavailable: BudgetRule = { value: '50%', base: 'counting', rounding: 'up', atLeast: 1 };
  const away5 = { reach: { awaySince: now - 5 * minute } };
  const fleet = [target('a'), target('b'), target('c', away5), target('d', away5)];
  expect(spendingOf(fleet, { unavailable, away }, now)).toMatchObject({
    size: 1,
    spent: new Set(),
  });
  // What went away a moment ago, and does not serve, is spent and counts.
  const lately = target('c', { health: 'gone', reach: { awaySince: now - 1 } });
  const spending = spendingOf([target('a'), target('b'), lately], { unavailable, away }, now);
  expect(spending).toMatchObject({ size: 2, spent: new Set(['c']) });
});

it('never lets more be taken down than are left, nor more be changed than there may be', () => {
  fc.assert(
    fc.property(anyTargets, fc.nat(12), (targets, value) => {
      const unavailable: BudgetRule = { value, base: 'all', rounding: 'up', atLeast: 0 };
      const spending = spendingOf(targets, { unavailable, away }, now);
      const candidates = targets.filter(({ reach }) => reach === 'reachable');
      const { healthy, unhealthy } = allowedBy(spending, candidates);
      const broken = candidates.filter(({ id }) => spending.spent.has(id)).length;
      expect(healthy).toBeLessThanOrEqual(Math.max(0, value - spending.spent.size));
      expect(unhealthy + healthy).toBeLessThanOrEqual(Math.max(0, value - (spending.spent.size - broken)));
    }),
  );
});
