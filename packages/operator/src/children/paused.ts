import { hold, type Hold } from '../engine/hold.ts';
import type { ChildWorkload } from './child.ts';

/** Whether somebody paused its rollout, in the template or in the child. */
export function isPaused({ spec }: ChildWorkload): boolean {
  const { paused, updateStrategy } = spec ?? {};
  return paused === true || updateStrategy?.paused === true || updateStrategy?.rollingUpdate?.paused === true;
}

/** `target`: whose child it is, called by its kind and name. */
export function waitsForResume(target: string, child: string): Hold {
  const problem = `the rollout of ${child} is paused. Resume it in the template, or on the child if it was paused there`;
  return hold('Paused', 'person', [target], { problem }, false);
}
