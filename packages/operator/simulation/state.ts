import type { ApiError, Instant, KubeObject } from '@atoll/kube';
import type { Plan } from '../src/engine/plan.ts';
import type { CacheContent } from './caches.ts';
import type { PlannedStep } from './planned-step.ts';
import type { ShortResult } from './short-result.ts';
import type { Store, WatchEvent } from './store.ts';

export interface InternedPlan {
  readonly id: number;
  readonly plan: Plan;
  /** Its steps; versions are those of the cache content that it was made from. */
  readonly steps: readonly PlannedStep[];
}

/** A pass under way: the steps of its plan, then of its status writes. */
export interface Running {
  readonly phase: 'plan' | 'report' | 'status';
  readonly plan: InternedPlan;
  /** uid and generation of the parent when it was observed. */
  readonly parent: string;
  readonly steps: readonly PlannedStep[];
  readonly results: readonly ShortResult[];
  /** Results of the plan, once the status is written. */
  readonly planned: readonly ShortResult[];
}

export interface Doubt {
  readonly step: PlannedStep;
  readonly error: ApiError;
}

export interface State {
  readonly store: Store;
  /** The number that stands in the uid of the last object of each name. */
  readonly made: ReadonlyMap<string, number>;
  readonly caches: CacheContent;
  /** Undelivered watch events by resource. */
  readonly pending: ReadonlyMap<string, readonly WatchEvent[]>;
  /** Events that bring nothing new, because a response was faster, and that still wake (W6). */
  readonly echoes: ReadonlyMap<string, WatchEvent>;
  /** What listeners were last told of an object that an own write has changed since. */
  readonly announced: ReadonlyMap<string, KubeObject>;
  readonly unsynced: ReadonlySet<string>;
  readonly dirty: ReadonlySet<string>;
  readonly timers: ReadonlyMap<string, Instant>;
  readonly running: ReadonlyMap<string, Running>;
  readonly inDoubt: ReadonlyMap<string, readonly Doubt[]>;
  /** Requests of dead processes that may still commit. */
  readonly late: readonly PlannedStep[];
  readonly left: ReadonlyMap<string, number>;
  readonly now: Instant;
  readonly memory: object | undefined;
}

export function withRunning(state: State, key: string, running: Running): State {
  return { ...state, running: new Map(state.running).set(key, running) };
}

export function withoutRunning(state: State, key: string): State {
  const running = new Map(state.running);
  running.delete(key);
  return { ...state, running };
}

export function withDoubt(state: State, key: string, doubt: Doubt): State {
  return { ...state, inDoubt: new Map(state.inDoubt).set(key, [...(state.inDoubt.get(key) ?? []), doubt]) };
}

export function uidAndGeneration(object: KubeObject | undefined): string {
  return object === undefined ? '' : `${object.metadata.uid} ${object.metadata.generation}`;
}
