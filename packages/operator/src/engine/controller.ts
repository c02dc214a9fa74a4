import type { CacheEvent, Instant, KubeObject, ObjectKey, Reader, Resource, Stored } from '@atoll/kube';
import type { Plan } from './plan.ts';
import type { Outcome, PlannedEvent } from './step.ts';

/**
 * What wakes a controller: a cache, and how a change of it maps to the keys that must look again. Keys are
 * `namespace/name` (or `name`) of the controller's own kind. Pure.
 */
export interface Source {
  readonly reader: Reader<KubeObject>;
  readonly keysFor: (event: CacheEvent<KubeObject>) => Iterable<string>;
  readonly wakes: (event: CacheEvent<KubeObject>) => Waking;
  /**
   * Whether what was refused is tried again at once: something changed that the refusal may depend on. Absent: so is what wakes
   * at once.
   */
  readonly endsRefusal?: (event: CacheEvent<KubeObject>) => boolean;
}

/**
 * `at-once`: somebody wants something else now. `in-time`: comes by the thousand while a rollout moves, as the status
 * of children does; it waits while a key with many objects rests from its last pass, so that many become one pass.
 * `counted`: changes only numbers of a status, which decide nothing and are written every few seconds at most: it waits
 * several rests for something that wakes sooner, and until they may be written.
 */
export type Waking = 'at-once' | 'in-time' | 'counted';

/** Declares a source with the types of its resource; all of its events wake alike, or each says how. */
export function source<T extends KubeObject>(
  reader: Reader<T>,
  keysFor: (event: CacheEvent<T>) => Iterable<string>,
  wakes: Waking | ((event: CacheEvent<T>) => Waking) = 'at-once',
  endsRefusal?: (event: CacheEvent<T>) => boolean,
): Source {
  const wakesBy = typeof wakes === 'function' ? wakes : () => wakes;
  return { reader, keysFor, wakes: wakesBy, endsRefusal } as unknown as Source;
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
  readonly sources: readonly Source[];
  /**
   * How long, in milliseconds, a key rests after a pass from what is not wanted `at-once`, however cheap the pass was: where
   * many small objects move at once, the many changes of each become few passes.
   */
  readonly restMs?: number;
  /** undefined: the object is gone, nothing to do. */
  observe(key: ObjectKey): Snapshot | undefined;
  /**
   * Everything that follows from the snapshot and the time. Called once for each observed snapshot; its result is handed to
   * `plan`, `tell` and `report`, so that all of them mean the same.
   */
  decide(snapshot: Snapshot, now: Instant): Decision;
  plan(snapshot: Snapshot, decision: Decision, now: Instant): Plan;
  /** What people should hear of what was done; failures and holds are told by the engine. */
  tell?(snapshot: Snapshot, decision: Decision, outcome: Outcome): readonly PlannedEvent[];
  report(
    snapshot: Snapshot,
    decision: Decision,
    plan: Plan,
    outcome: Outcome,
    now: Instant,
  ): readonly StatusWrite[];
}
