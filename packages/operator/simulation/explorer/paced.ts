import type { Instant } from '@atoll/kube';
import type { StatusWrite } from '../../src/engine/controller.ts';
import { StatusPace } from '../../src/engine/status/status-pace.ts';
import type { PacedWrites, PaceMemory } from '../../src/engine/status/status-pace.ts';
import { WriteBudget } from '../../src/engine/status/write-budget.ts';
import type { BudgetLimits } from '../../src/engine/status/write-budget.ts';
import type { Outcome } from '../../src/engine/step.ts';

/** What the shipped pace of status writes remembers, as a part of a state. */
export interface Paced {
  readonly memory: PaceMemory;
  readonly paidAt: Instant;
}

export const nothingPaced: Paced = { memory: { histories: new Map(), due: new Map() }, paidAt: -Infinity };

/** A rule of the pace that is not as it is shipped, as what is done to its memory between two reconciles. */
export type PaceBug = (memory: PaceMemory) => PaceMemory;

/** The shipped pace with a budget of so much, in explored states. */
export interface PaceOptions {
  readonly limits: BudgetLimits;
  readonly bug?: PaceBug;
}

export function sortWrites(
  paced: Paced,
  { limits, bug = (memory) => memory }: PaceOptions,
  writes: readonly StatusWrite[],
  now: Instant,
): PacedWrites & { readonly paced: Paced } {
  const budget = new WriteBudget(limits, paced.paidAt);
  const pace = new StatusPace(budget, paced.memory);
  const sorted = pace.sort(writes, now);
  return { ...sorted, paced: { memory: bug(pace.memory), paidAt: budget.paidAt } };
}

export function answeredWrites(
  paced: Paced,
  { limits, bug = (memory) => memory }: PaceOptions,
  writes: readonly StatusWrite[],
  outcome: Outcome,
  now: Instant,
): Paced {
  const budget = new WriteBudget(limits, paced.paidAt);
  const pace = new StatusPace(budget, paced.memory);
  pace.answered(writes, outcome, now);
  return { memory: bug(pace.memory), paidAt: budget.paidAt };
}

function sorted<V>(map: ReadonlyMap<string, V>): readonly (readonly [string, V])[] {
  return [...map].sort(([a], [b]) => (a < b ? -1 : 1));
}

/** The same for all that behave alike from `now` on. */
export function pacedText({ memory: { histories, due }, paidAt }: Paced, now: Instant): string {
  const ago = sorted(histories).map(
    ([key, { uid, writtenAt, intervalMs, turnsFrom, turnedAt, generation }]) => [
      key,
      uid,
      Math.max(0, writtenAt + intervalMs - now),
      Math.max(0, turnsFrom - now),
      turnedAt.filter((at) => at > now - 60_000).map((at) => now - at),
      generation,
    ],
  );
  const ahead = sorted(due).map(([key, at]) => [key, at - now]);
  return JSON.stringify([ago, ahead, paidAt - now]);
}
