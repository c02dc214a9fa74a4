import { scaleIntOrPercent, type Instant, type IntOrPercent } from '@atoll/kube';
import { earliest } from '../earliest.ts';
import type { Target } from './target.ts';

/** A number of targets. Of what a percentage is taken and how it is rounded differs from kind to kind. */
export interface BudgetRule {
  readonly value: IntOrPercent;
  /** `all`: of all listed targets. `counting`: without those that are away and of which nothing is spent. */
  readonly base: 'all' | 'counting';
  readonly rounding: 'up' | 'down';
  /** 1: a budget of nothing is none that a rollout can have. */
  readonly atLeast: 0 | 1;
}

/** When a target that is away, and unavailable, stops counting. */
export interface AwayRule {
  /** Milliseconds for which it counts. */
  readonly countsForMs: number;
}

export interface Spending {
  /** How many may be unavailable, or being changed, at once. */
  readonly size: number;
  /** Ids of those that are. */
  readonly spent: ReadonlySet<string>;
  /** When the next one stops counting. */
  readonly nextExemptAt: Instant | undefined;
}

/** The number that a rule means. Throws as `parseIntOrPercent` where the value is none. */
export function budgetSize(
  { value, base, rounding, atLeast }: BudgetRule,
  counts: Readonly<Record<BudgetRule['base'], number>>,
): number {
  return Math.max(atLeast, scaleIntOrPercent(value, counts[base], rounding));
}

/**
 * What of the budget is spent: whatever does not serve counts, no matter who caused it. What is seen has our own writes in it, because
 * the answer of each goes into the cache, and one that was lost is read back before the next plan. Only time exempts what is away:
 * a node that goes away because of its change must slow the rollout.
 */
export function spendingOf(
  targets: readonly Target[],
  rules: { readonly unavailable: BudgetRule; readonly away: AwayRule },
  now: Instant,
): Spending {
  const unavailable = targets.filter(({ at, health }) => at === 'nothing' || health !== 'healthy');
  const away = unavailable.flatMap(({ id, reach }) =>
    reach === 'reachable' ? [] : [{ id, due: reach.awaySince + rules.away.countsForMs }],
  );
  const exempt = new Set(away.filter(({ due }) => due <= now).map(({ id }) => id));
  const spent = new Set(unavailable.map(({ id }) => id).filter((id) => !exempt.has(id)));
  const all = targets.length;
  const apart = targets.filter(({ id, reach }) => reach !== 'reachable' && !spent.has(id)).length;
  return {
    size: budgetSize(rules.unavailable, { all, counting: all - apart }),
    spent,
    nextExemptAt: earliest(away.filter(({ due }) => due > now).map(({ due }) => due)),
  };
}

/**
 * How many of the candidates may be changed now. Those that are unavailable anyhow go first and are inside the budget; all of them
 * count before one that is healthy is taken down.
 */
export function allowedBy(
  { size, spent }: Pick<Spending, 'size' | 'spent'>,
  candidates: readonly Target[],
): { readonly unhealthy: number; readonly healthy: number } {
  const unhealthy = candidates.filter(({ id }) => spent.has(id)).length;
  const healthy = candidates.length - unhealthy;
  return {
    unhealthy: Math.min(unhealthy, Math.max(0, size - (spent.size - unhealthy))),
    healthy: Math.min(healthy, Math.max(0, size - spent.size)),
  };
}
