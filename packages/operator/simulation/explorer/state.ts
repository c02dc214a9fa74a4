import type { Instant, KubeObject } from '@atoll/kube';
import type { Memory } from '../../src/engine/executor/commands.ts';
import type { Plan } from '../../src/engine/plan.ts';
import type { Reconcile } from '../../src/engine/reconcile/machine.ts';
import type { StatusWrite } from '../../src/engine/controller.ts';
import type { CacheContent } from '../model/caches.ts';
import type { Paced } from './paced.ts';
import type { PlannedStep } from './planned-step.ts';
import type { Store, WatchEvent } from '../model/store.ts';

export interface InternedPlan {
  readonly id: number;
  readonly plan: Plan;
  /** The plan without the versions of what it changes: the same wherever the same is planned. */
  readonly unversioned: Plan;
  /** Its steps; versions are those of the cache content that it was made from. */
  readonly steps: readonly PlannedStep[];
}

/** A reconcile under way. */
export interface Running {
  readonly machine: Reconcile;
  /** undefined: it has not planned yet. */
  readonly plan: InternedPlan | undefined;
  /** The steps of the plan, and then of its status writes, with their versions. */
  readonly steps: readonly PlannedStep[];
  /** Status writes that the pace has let go. */
  readonly going: readonly StatusWrite[];
  /** Requests that have left and are not served yet, in the order in which they left. */
  readonly underWay: readonly UnderWay[];
}

export interface UnderWay {
  /** The index of the step in the plan. */
  readonly index: number;
  /** What the caches held when the request left. */
  readonly cached: CacheContent;
}

/** What the next event of an object is compared with. */
export interface Announced {
  readonly object: KubeObject;
  /** A version that has come since was replaced before an event reported it: that skips it. */
  readonly isSkipped: boolean;
}

export interface State {
  readonly store: Store;
  /** The number that stands in the uid of the last object of each name. */
  readonly made: ReadonlyMap<string, number>;
  readonly caches: CacheContent;
  /** Undelivered watch events by resource. */
  readonly pending: ReadonlyMap<string, readonly WatchEvent[]>;
  /** Events that bring nothing new, because a response was faster, and that still enqueue keys (W6). */
  readonly echoes: ReadonlyMap<string, WatchEvent>;
  /** What listeners were last notified of, of an object that an own write has changed since. */
  readonly announced: ReadonlyMap<string, Announced>;
  readonly unsynced: ReadonlySet<string>;
  readonly dirty: ReadonlySet<string>;
  readonly timers: ReadonlyMap<string, Instant>;
  readonly running: ReadonlyMap<string, Running>;
  /** What the process remembers of a key between its reconciles. */
  readonly remembered: ReadonlyMap<string, Memory>;
  /** Requests of dead processes that may still commit. */
  readonly late: readonly PlannedStep[];
  readonly left: ReadonlyMap<string, number>;
  readonly now: Instant;
  /** undefined: a status is written whenever it differs. */
  readonly paced: Paced | undefined;
  readonly memory: object | undefined;
}

export function withRunning(state: State, key: string, running: Running): State {
  return { ...state, running: new Map(state.running).set(key, running) };
}

/** Requests that have left and are not served: where their process dies they may still arrive. */
export function requestsUnderWay({ running }: State): readonly PlannedStep[] {
  return [...running.values()].flatMap(({ steps, underWay }) =>
    underWay.flatMap(({ index }) => steps[index] ?? []),
  );
}

export function withoutRunning(state: State, key: string): State {
  const running = new Map(state.running);
  running.delete(key);
  return { ...state, running };
}
