import type { KubeObject, Stored } from '@atoll/kube';
import type { TargetsInput } from './choose-targets.ts';

/** What a rollout is asked to keep to. */
export type RolloutPolicy = TargetsInput['limits'];

/** The policy of one object; `newest`: the label of the revision of its template. */
export type PolicyOf<T extends KubeObject> = (object: Stored<T>, newest: string) => RolloutPolicy;

/** Everything that differs is changed at once: what the kinds with places ship with. */
export function allAtOnce(): RolloutPolicy {
  return 'all';
}
