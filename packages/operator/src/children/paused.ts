import { hold, type Hold } from '../engine/hold.ts';
import type { ChildWorkload } from './child.ts';

/** Whether somebody paused its rollout, by the template or by hand. */
export function isPaused({ spec }: ChildWorkload): boolean {
  const { paused, updateStrategy } = spec ?? {};
  return paused === true || updateStrategy?.paused === true || updateStrategy?.rollingUpdate?.paused === true;
}

/** `target`: whose child it is, called by its kind and name. */
export function waitsForResume(target: string, child: string): Hold {
  return hold(
    'Paused',
    'person',
    [target],
    `somebody resumes the rollout of ${child}, which is paused`,
    false,
  );
}
