import type { Instant, KubeObject, ObjectKey, Resource, Stored } from '@atoll/kube';
import { keyOf } from '@atoll/kube';
import type { Hold } from './hold.ts';
import type { Inspection } from './inspection.ts';
import type { Target } from './rollout/target.ts';
import type { Step } from './step.ts';

/** Steps that may run at the same time. */
export interface Stage {
  /** For people and metrics: `create revision`, `create children`. */
  readonly name: string;
  readonly steps: readonly Step[];
  /** `always`: also when steps of earlier stages failed. `after-success`: only when every earlier stage succeeded. */
  readonly runs: 'always' | 'after-success';
  /**
   * Sends 1, 2, 4, … requests up to the executor's bound, and then as many as the bound allows. A wave in which every
   * step failed makes the next one small again, ten failures in a row end the stage, and what failed the last time comes
   * last: so one refused child delays no other, and a full quota causes no storm.
   */
  readonly slowStart?: boolean;
}

/** What is to be done for one object now, why, what waits, and when to requeue without an event. */
export interface Plan {
  readonly stages: readonly Stage[];
  /** What could move and does not, and why. The first becomes the Progressing condition's reason. */
  readonly holds: readonly Hold[];
  readonly targets: readonly Target[];
  readonly requeueAt?: Instant;
  /** Workloads whose pods may show why they are not healthy; absent: none. */
  readonly inspect?: readonly Inspection[];
  /**
   * What the plan depends on: its parent, which is added where a controller does not name it, and other objects that decide about
   * it. Where one of them is no more as it was, nothing more of the plan is sent.
   */
  readonly guards?: readonly Guard[];
}

/**
 * An object that the plan was made for, as it was seen. Before the first request of a plan the executor reads it live, and drops the
 * plan where it is not the one that was seen (decision 14). Directly before each send, and before steps of a long stage are started,
 * it is compared with the cache: when it is gone, is another one, or its generation or one of the annotations differ, the rest of the
 * plan is dropped (F8); when it is being deleted, so are creations, applies and deletions (C7).
 */
export interface Guard {
  readonly resource: Resource<KubeObject>;
  readonly key: ObjectKey;
  /** undefined: the plan is for an object that does not exist, as for the nodes of a pool that is gone. */
  readonly uid: string | undefined;
  readonly generation: number;
  /** Control annotations as they were seen; undefined: was not there. */
  readonly annotations: Readonly<Record<string, string | undefined>>;
}

/** A guard for what the snapshot shows of the parent. */
export function guardOf(
  resource: Resource<KubeObject>,
  parent: Stored<KubeObject>,
  controlAnnotations: readonly string[] = [],
): Guard {
  const annotations: Record<string, string | undefined> = {};
  for (const name of controlAnnotations) annotations[name] = parent.metadata.annotations?.[name];
  const { uid, generation = 0 } = parent.metadata;
  return { resource, key: keyOf(parent), uid, generation, annotations };
}

/** A guard for a plan whose parent does not exist. */
export function guardOfAbsent(resource: Resource<KubeObject>, key: ObjectKey): Guard {
  return { resource, key, uid: undefined, generation: 0, annotations: {} };
}

/** Whether the object is the one that the plan was made for, with the spec and the control annotations of then. */
export function isAsPlanned(guard: Guard, live: Stored<KubeObject> | undefined): boolean {
  if (live?.metadata.uid !== guard.uid) return false;
  return live === undefined || hasSpecOf(guard, live);
}

function hasSpecOf({ generation, annotations }: Guard, { metadata }: Stored<KubeObject>): boolean {
  if ((metadata.generation ?? 0) !== generation) return false;
  return Object.entries(annotations).every(([name, value]) => metadata.annotations?.[name] === value);
}

export const nothingToDo: Plan = { stages: [], holds: [], targets: [] };
