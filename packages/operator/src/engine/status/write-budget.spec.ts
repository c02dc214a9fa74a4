import { expect, it } from 'vitest';
import { WriteBudget } from './write-budget.ts';

const start = Date.UTC(2026, 0, 1);

function waits(budget: WriteBudget, count: number, now: number): readonly number[] {
  return Array.from({ length: count }, () => budget.take(now) - now);
}

it('lets fifty go together after a quiet time, and five a second from then on', () => {
  const budget = new WriteBudget();
  expect(waits(budget, 50, start)).toEqual(Array.from({ length: 50 }, () => 0));
  expect(waits(budget, 5, start)).toEqual([200, 400, 600, 800, 1_000]);
  expect(waits(budget, 1, start + 60_000)).toEqual([0]);
});

it('has nothing wait longer than a minute, however many went before', () => {
  const budget = new WriteBudget();
  const all = waits(budget, 5_000, start);
  expect(Math.max(...all)).toBe(60_000);
  expect(waits(budget, 1, start + 1_000)[0]).toBeLessThanOrEqual(60_000);
});

it('has nothing wait because the clock was set back', () => {
  const budget = new WriteBudget();
  waits(budget, 200, start);
  expect(waits(budget, 1, start - 3_600_000)).toEqual([0]);
});
