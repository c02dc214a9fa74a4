import type { Step } from '../step.ts';
import type { Memory } from './commands.ts';
import type { RefusedSteps } from './answers/refusals.ts';
import { stepId } from './step-id.ts';

/** What the order of steps depends on. */
export interface KnownOfSteps {
  /** Of the whole plan. */
  readonly steps: readonly Step[];
  readonly memory: Memory;
  readonly heldBack: RefusedSteps | undefined;
}

/**
 * The steps of a slow-start stage, by their indices: what failed the last time comes last, so that it delays no other. What is held
 * back comes before what was skipped then, so that it ends the stage again where it ended it when it was sent, and nothing of that is sent to
 * be refused in its place. What is new waits for neither.
 */
export function inOrder(
  queue: readonly number[],
  { steps, memory: { failedLast, skippedLast }, heldBack }: KnownOfSteps,
): readonly number[] {
  if (failedLast.size === 0 && heldBack === undefined) return queue;
  const rank = (index: number): number => {
    const step = steps[index];
    const id = step === undefined ? '' : stepId(step);
    if (heldBack?.has(id) === true) return 1;
    if (failedLast.has(id)) return 3;
    return skippedLast.has(id) ? 2 : 0;
  };
  return [0, 1, 2, 3].flatMap((wanted) => queue.filter((index) => rank(index) === wanted));
}
