import { formatKey, keyOf } from '@atoll/kube';
import type {
  CacheEvent,
  Instant,
  IntervalLimits,
  KubeObject,
  ObjectKey,
  Reader,
  Resource,
  Stored,
} from '@atoll/kube';
import type { Plan } from './plan.ts';
import type { RefusedTrials } from './refused-trials.ts';
import type { Outcome, PlannedEvent } from './step.ts';

/**
 * What enqueues keys of a controller: a cache, and how a change of it maps to the keys that are to be reconciled. Keys are
 * `namespace/name` (or `name`) of the controller's own kind. Pure. What follows from an event is in `reconcile/keys-to-enqueue.ts`.
 */
export interface Source {
  readonly reader: Reader<KubeObject>;
  readonly keysFor: (event: CacheEvent<KubeObject>) => Iterable<string>;
  /** Not asked about objects of the controller's own kind. */
  readonly urgency: (event: CacheEvent<KubeObject>) => Urgency;
  /** The urgency of a change of the status alone, where the object is of the controller's own kind. Absent: deferred. */
  readonly ofStatus?: (event: CacheEvent<KubeObject>) => Urgency;
  /** Plans read messages of these statuses, which name what is asked for: the echo of an own write enqueues too. */
  readonly readsMessages?: true;
  /**
   * Others write these statuses too, and only the conditions are ours (`StatusWrite.only`). Our write names no version, so its echo may
   * also bring what somebody else wrote.
   */
  readonly othersWriteStatus?: true;
  /**
   * Whether what was refused is sent again at once, because something changed that the refusal may depend on. Absent: if the event
   * is immediate.
   */
  readonly endsRefusal?: (event: CacheEvent<KubeObject>) => boolean;
}

/**
 * `immediate`: what is wanted has changed, or a budget has room again. `deferred`: comes by the thousand while a rollout moves,
 * as the status of children does; it waits until the minimum interval since the last reconcile of the key has passed, so that
 * many events become one reconcile.
 */
export type Urgency = 'immediate' | 'deferred';

/** Declares a source with the types of its resource; all of its events are as urgent, or each by itself. */
export function source<T extends KubeObject>(
  reader: Reader<T>,
  keysFor: (event: CacheEvent<T>) => Iterable<string>,
  urgency: Urgency | ((event: CacheEvent<T>) => Urgency) = 'immediate',
  endsRefusal?: (event: CacheEvent<T>) => boolean,
): Source {
  const urgencyOf = typeof urgency === 'function' ? urgency : () => urgency;
  return { reader, keysFor, urgency: urgencyOf, endsRefusal } as unknown as Source;
}

/** The objects of the controller's own kind: each enqueues itself. `ofStatus`: {@link Source.ofStatus}. */
export function ownSource<T extends KubeObject>(
  reader: Reader<T>,
  ofStatus?: (event: CacheEvent<T>) => Urgency,
): Source {
  const own = source(reader, ({ object }) => [formatKey(keyOf(object))]);
  return ofStatus === undefined ? own : ({ ...own, ofStatus } as unknown as Source);
}

/** A status that should be; the engine writes it only where it differs from what the cache holds. */
export interface StatusWrite {
  readonly resource: Resource<KubeObject>;
  readonly object: Stored<KubeObject>;
  /** The whole status subresource as it should be. */
  readonly status: object;
  /** Milliseconds between any two writes, turns included, where others rely on a fresher status than by default. */
  readonly paceMs?: number;
  /** Something waits for this write as others wait for a condition that turns. */
  readonly urgent?: boolean;
  /**
   * The object is not ours: of its status only the conditions of these types are, which are applied under this field manager.
   * Everything else in `status` is as it was found. For built-in kinds alone: of a custom resource the API server does not compare the uid that is applied to the
   * status, and the conditions could come to another object of the name.
   */
  readonly only?: { readonly conditions: readonly string[]; readonly fieldManager: string };
}

/**
 * A controller decides and never acts: `observe` reads caches, `decide`, `plan` and `report` are pure, and the engine alone
 * writes. `report` gets a snapshot observed after the plan was executed, so that own writes are seen, and what was decided
 * for that snapshot.
 */
export interface Controller<Snapshot, Decision = unknown> {
  /** kebab-case, as in `--controllers`. */
  readonly name: string;
  /** The kind whose keys it works on. */
  readonly resource: Resource<KubeObject>;
  /** The kind is of others, and so is its status: that a reconcile failed is reported by an event alone. */
  readonly foreign?: true;
  readonly sources: readonly Source[];
  /** Between two reconciles of a key that deferred events cause. Absent: `minimumInterval` of `start-controller.ts`. */
  readonly minimumInterval?: IntervalLimits;
  /** `refused`: what the API server refused when it was tried for this object; absent: nothing. undefined: the object is gone, nothing to do. */
  observe(key: ObjectKey, refused?: RefusedTrials): Snapshot | undefined;
  /**
   * Everything that follows from the snapshot and the time. Called once for each observed snapshot; its result is handed to
   * `plan`, `events` and `report`, so that all of them mean the same.
   */
  decide(snapshot: Snapshot, now: Instant): Decision;
  plan(snapshot: Snapshot, decision: Decision, now: Instant): Plan;
  /** Events for what was done; the engine records those of failures and holds. */
  events?(snapshot: Snapshot, decision: Decision, outcome: Outcome): readonly PlannedEvent[];
  report(snapshot: Snapshot, decision: Decision, outcome: Outcome, now: Instant): readonly StatusWrite[];
}
