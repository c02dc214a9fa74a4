import type { Instant, KubeObject, ObjectKey, Resource, Stored } from '@atoll/kube';
import { keyOf } from '@atoll/kube';
import { sameJson } from './same-meaning.ts';
import type { Hold } from './hold.ts';
import type { Inspection } from './inspection.ts';
import type { Target } from './rollout/target.ts';
import type { Step } from './step.ts';

/** Steps that may run at the same time. */
export interface Stage {
  /** For people and metrics: `create revision`, `create children`. */
  readonly name: string;
  readonly steps: readonly Step[];
  /** Nothing of it is sent unless every step of the earlier stages succeeded. Absent: it does not matter what became of them. */
  readonly onlyAfterSuccess?: boolean;
  /**
   * Sends 1, 2, 4, … requests up to the executor's bound, and then as many as the bound allows. A wave in which every
   * step failed makes the next one small again, ten failures in a row end the stage, and what failed the last time comes
   * last: so one refused child delays no other, and a full quota causes no storm.
   */
  readonly slowStart?: boolean;
  /** Of a stage that starts slowly: so many failures in a row end it, instead of ten. */
  readonly endsAfter?: number;
  /** The same, while something of the object that was refused is not due again. */
  readonly pace?: { readonly endsAfter: number };
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
  /**
   * Objects that may exist although the plan was made without them. They are listed live before the first request. Where one is found that
   * counts, the cache takes it, and the plan is dropped (decision 14). Absent: the plan depends on none.
   */
  readonly unseen?: readonly Listing[];
  /** Names of refused trials that the plan goes by, also those that it does not try (`refused-trials.ts`); absent: where it tries any, all. */
  readonly remembers?: readonly string[];
}

/**
 * An object that the plan was made for, as it was seen. Before the first request of a plan the executor reads it live, and drops the
 * plan where it is not the one that was seen (decision 14). Directly before each send, and before steps of a long stage are started,
 * it is compared with the cache: when it is gone, is another one, or its generation, one of the annotations or one of the fields of
 * its status differ, the rest of the plan is dropped (F8); when it is being deleted, so are creations, applies and deletions (C7).
 */
export interface Guard {
  readonly resource: Resource<KubeObject>;
  readonly key: ObjectKey;
  /** undefined: the plan is for an object that does not exist, as for the nodes of a pool that is gone. */
  readonly uid: string | undefined;
  readonly generation: number;
  /** Control annotations as they were seen; undefined: was not there. */
  readonly annotations: Readonly<Record<string, string | undefined>>;
  /** Fields of the status that record a decision, as they were seen; absent: the plan depends on none. */
  readonly status?: Readonly<Record<string, unknown>>;
  /** Fields of an object without a spec, as they were seen; absent: the plan depends on none. */
  readonly fields?: Readonly<Record<string, unknown>>;
}

/**
 * Objects of one resource in a namespace, by a label selector as the API server reads it. A found object counts if no cache holds it, or if
 * nobody controls it and the plan did not know it: the cache may have got it since the plan was made.
 */
export interface Listing {
  readonly resource: Resource<KubeObject>;
  readonly namespace: string;
  readonly labelSelector: string;
  /** The uids of those that nobody controls, as the plan knew them. */
  readonly known: readonly string[];
}

/** A guard for what the snapshot shows of the parent. `statusFields`: those that record a decision which the plan follows. */
export function guardOf(
  resource: Resource<KubeObject>,
  parent: Stored<KubeObject>,
  controlAnnotations: readonly string[] = [],
  statusFields: readonly string[] = [],
): Guard {
  const annotations: Record<string, string | undefined> = {};
  for (const name of controlAnnotations) annotations[name] = parent.metadata.annotations?.[name];
  const { uid, generation = 0 } = parent.metadata;
  const guard = { resource, key: keyOf(parent), uid, generation, annotations };
  if (statusFields.length === 0) return guard;
  const status = statusOf(parent);
  return { ...guard, status: Object.fromEntries(statusFields.map((field) => [field, status[field]])) };
}

/** A guard for a plan whose parent does not exist. */
export function guardOfAbsent(resource: Resource<KubeObject>, key: ObjectKey): Guard {
  return { resource, key, uid: undefined, generation: 0, annotations: {} };
}

/** Whether the object is the one that the plan was made for, with the spec, the control annotations and the recorded decisions of then. */
export function isAsPlanned(guard: Guard, live: Stored<KubeObject> | undefined): boolean {
  if (live?.metadata.uid !== guard.uid) return false;
  return live === undefined || (hasSpecOf(guard, live) && hasStatusOf(guard, live));
}

function hasSpecOf({ generation, annotations, fields = {} }: Guard, live: Stored<KubeObject>): boolean {
  const { metadata } = live;
  if ((metadata.generation ?? 0) !== generation) return false;
  if (!hasFieldsOf(fields, live)) return false;
  return Object.entries(annotations).every(([name, value]) => metadata.annotations?.[name] === value);
}

function hasStatusOf({ status = {} }: Guard, live: Stored<KubeObject>): boolean {
  return hasFieldsOf(status, statusOf(live));
}

function hasFieldsOf(seen: Readonly<Record<string, unknown>>, live: object): boolean {
  const found = live as Readonly<Record<string, unknown>>;
  return Object.entries(seen).every(([field, value]) => sameJson(found[field] ?? null, value ?? null));
}

function statusOf(object: KubeObject & { readonly status?: unknown }): Readonly<Record<string, unknown>> {
  const { status } = object;
  return typeof status === 'object' && status !== null ? (status as Readonly<Record<string, unknown>>) : {};
}

export const nothingToDo: Plan = { stages: [], holds: [], targets: [] };
