import type { Instant, KubeObject, ObjectKey, Resource, Stored } from '@atoll/kube';

/** What is true at the moment of an event. A driver reads it directly before each event that it hands to a machine. */
export interface Facts {
  /** False the moment leadership is in doubt (F4). */
  readonly leads: boolean;
  /** The process ends, or is no longer the leader: nothing is sent any more. */
  readonly stopping: boolean;
  readonly now: Instant;
  /** An object as the cache holds it; `uncached`: nobody reads this resource. */
  readonly cached: (
    resource: Resource<KubeObject>,
    key: ObjectKey,
  ) => Stored<KubeObject> | 'uncached' | undefined;
}

/** What a machine became by an event, and what a driver does because of it: at once and in this order. */
export interface Turn<State, Command> {
  readonly state: State;
  readonly commands: readonly Command[];
}
