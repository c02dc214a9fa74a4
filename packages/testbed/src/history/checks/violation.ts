import type { History } from '../history.ts';

/** A rule that the history breaks: which, where, and what happened, in one sentence. */
export interface Violation {
  readonly rule: string;
  readonly message: string;
}

/** A rule about a whole history; pure. */
export type Check = (history: History) => readonly Violation[];

/** All violations of all rules. A history with gaps breaks the rule that there are none: nothing follows from it. */
export function checkHistory(history: History, checks: readonly Check[]): readonly Violation[] {
  const gaps = history.gaps.map((gap) => ({
    rule: 'no gap',
    message: `${gap.resource}: events after version ${gap.afterVersion} can be missing`,
  }));
  return [...gaps, ...checks.flatMap((check) => check(history))];
}
