import type { Instant, KubeObject, ObjectKey, Resource, Stored } from '@atoll/kube';
import { keyOf } from '@atoll/kube';
import type { Hold } from './hold.ts';
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

/** What is to be done for one object now, why, what waits, and when to look again without an event. */
export interface Plan {
  readonly stages: readonly Stage[];
  /** What could move and does not, and why. The first becomes the Progressing condition's reason. */
  readonly holds: readonly Hold[];
  readonly targets: readonly Target[];
  readonly lookAgainAt?: Instant;
  /** What must still be so for the plan's destructive steps, and for creating anything at all. */
  readonly guard?: Guard;
}

/**
 * What the plan was made for. Before the first request of a plan the executor reads the object live, and drops the plan
 * where it is not the one that was seen (decision 14). Directly before each send it compares the guard with the cache:
 * when generation or one of the annotations differ, destructive steps are dropped (F8); when the object is gone, is
 * another one or is being deleted, so are creations (C7) and applies, which name it as the owner.
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

/** What the cached parent allows of a plan made under the guard. */
export type Allowed = 'everything' | 'nothing-destructive' | 'no-creation-either';

export function allowedBy(guard: Guard | undefined, cached: Stored<KubeObject> | undefined): Allowed {
  if (guard === undefined) return 'everything';
  if (cached?.metadata.uid !== guard.uid) return 'no-creation-either';
  if (cached === undefined) return 'everything';
  if (cached.metadata.deletionTimestamp !== undefined) return 'no-creation-either';
  return hasSpecOf(guard, cached) ? 'everything' : 'nothing-destructive';
}

function hasSpecOf({ generation, annotations }: Guard, { metadata }: Stored<KubeObject>): boolean {
  if ((metadata.generation ?? 0) !== generation) return false;
  return Object.entries(annotations).every(([name, value]) => metadata.annotations?.[name] === value);
}

export const nothingToDo: Plan = { stages: [], holds: [], targets: [] };
