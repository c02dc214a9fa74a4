import type { KubeObject, Stored } from '@atoll/kube';
import type { RolloutLimits } from './choose-targets.ts';
import type { Target } from './target.ts';

/** What a rollout is asked to keep to. */
export interface RolloutPolicy {
  readonly limits: 'all' | RolloutLimits;
  /** The revision that a target is to have; undefined: the newest. */
  readonly revisionFor?: (target: Pick<Target, 'id' | 'pool' | 'zone' | 'labels'>) => string | undefined;
}

/** The policy of one object; `newest`: the label of the revision of its template. */
export type PolicyOf<T extends KubeObject> = (object: Stored<T>, newest: string) => RolloutPolicy;

/** Everything that differs is changed at once. */
export function allAtOnce(): RolloutPolicy {
  return { limits: 'all' };
}
