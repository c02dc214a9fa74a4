import type { ApiError, Instant, KubeObject, Resource } from '@atoll/kube';
import type { Controller, StatusWrite } from '../src/engine/controller.ts';
import type { Plan } from '../src/engine/plan.ts';
import type { keysToEnqueue } from '../src/engine/reconcile/keys-to-enqueue.ts';
import type { Rules } from '../src/engine/reconcile/rules.ts';
import type { Request } from '../src/engine/executor/requests/request.ts';
import type { PaceOptions } from './explorer/paced.ts';
import type { Operation } from './model/api-server.ts';
import { heldOf } from './model/store.ts';
import type { Store } from './model/store.ts';
import type { CacheContent, ModelCache, Shown } from './model/caches.ts';

/** The operator's process as a world builds it: the shipped controller over model caches. */
export interface Process {
  readonly controller: Controller<unknown>;
  readonly caches: readonly ModelCache<KubeObject>[];
}

/** One thing that somebody else may do now: one operation on the API server. */
export interface Move {
  readonly label: string;
  readonly operation: Operation;
}

/** Another writer: a controller of the cluster, the kubelet, a user, a script. Stateless over the store. */
export interface Neighbour {
  readonly name: string;
  /** The budget that each move spends; absent: the neighbour is fair and acts sooner or later. */
  readonly spends?: string;
  /** It acts before anything else happens: what its moves come between is explored in another world. Default false. */
  readonly prompt?: boolean;
  readonly moves: (store: Store) => readonly Move[];
}

/** What may go wrong with a request, or with the process; each spends one of the budget `fault`. */
export type Fault =
  /** The write takes place and its response is lost. */
  | 'lost-after'
  /** The request is lost before the server saw it; the sender cannot see it. */
  | 'lost-before'
  /** As these two, and the live read that follows is answered: its verdict is the result. */
  | 'lost-after-read-back'
  | 'lost-before-read-back'
  /** 503 without effect. */
  | 'refused'
  | 'crash-before'
  | 'crash-after'
  /** The process dies with the request under way, which commits at any later moment. */
  | 'crash-late'
  /** The process dies, and its successor's reconciles begin before one resource has been read. */
  | 'crash-unsynced';

/** All of one process: nothing that a dead one left under way. */
export const noLateRequest: readonly Fault[] = [
  'lost-after',
  'lost-before',
  'lost-after-read-back',
  'lost-before-read-back',
  'refused',
  'crash-before',
  'crash-after',
];

/** A planted bug of how keys come to be reconciled again. */
export type QueueBug =
  /** No key is enqueued when a kind comes or goes. */
  | 'presence-not-announced'
  /** What a reconcile asked for is waited for until it comes, whatever later reconciles ask for. */
  | 'timers-outlive-reconciles';

/** An effect of the operator on the true store, for the edge oracles. */
export interface Effect {
  readonly before: Store;
  readonly after: Store;
  /** The key on whose behalf; undefined for a dead process. */
  readonly key: string | undefined;
  readonly request: Request;
  /** By a dead process, after its successor has started. */
  readonly late: boolean;
  /** What the operator's caches held when it sent the request; of a dead process nothing is known. */
  readonly cached: CacheContent;
  /** What the world remembers, as of before the effect. */
  readonly memory: object | undefined;
  readonly now: Instant;
}

/** What a decision was made from. */
export interface Seen {
  /** The key that it was made for. */
  readonly key: string;
  /** What the operator's caches held. */
  readonly known: CacheContent['known'];
  /** Resources that had not been read: what is known of them a correct controller does not see. */
  readonly unread: ReadonlySet<string>;
}

/** A plan, for the plan oracles. */
export interface Planned extends Seen {
  readonly plan: Plan;
  readonly now: Instant;
}

/** What a reconcile wants to report, for the plan oracles. */
export interface Reported extends Seen {
  readonly writes: readonly StatusWrite[];
}

/** A small world to explore: where it begins, who acts in it, and what must hold. */
export interface World {
  readonly name: string;
  readonly build: (shown: Shown) => Process;
  readonly begin: Store;
  /** The keys of the controller that may be reconciled. */
  readonly keys: readonly string[];
  readonly neighbours: readonly Neighbour[];
  /**
   * How often each budgeted neighbour (and `fault`) may act. `depose`: leadership ends while a reconcile runs. `hold`: the pace holds
   * a status back. `fail-over`: the leader dies at any moment, at rest too, and
   * its successor's watches of {@link standStill} have delivered nothing since the beginning. `tick`: {@link tickMs} pass.
   */
  readonly budgets: Readonly<Record<string, number>>;
  readonly faults: readonly Fault[];
  /** The resource that a successor has not read, after `crash-unsynced`; default: the first that is not the parent's. */
  readonly unread?: string;
  /** Resources whose watches have stood still at a successor; default: the parent's. */
  readonly standStill?: readonly string[];
  /** What a new process reads of the store when it starts; all of it, where no bug is planted. */
  readonly firstRead?: (store: Store) => Store;
  /** Kinds whose definitions come and go: the store holds them (`definitions.ts`), and the process follows them. */
  readonly optional?: readonly Resource<KubeObject>[];
  /** Undelivered watch events per resource; the oldest arrives when there would be more. */
  readonly lag: number;
  /**
   * Time passes only when nothing else can happen: deadlines are long, and all else is quick. How often it passes is the
   * budget `time`, where there is one: what requeues for ever would come to no end.
   */
  readonly patient?: boolean;
  /** So long passes with each `tick`, by which no timer is due: what happens then comes between two of them. Default: a second. */
  readonly tickMs?: number;
  readonly now: Instant;
  /** Refusals that never end. */
  readonly refuse?: (operation: Operation) => ApiError | undefined;
  /** Edge oracle: what is wrong with an effect; undefined: nothing. */
  readonly wrongEffect?: (effect: Effect) => string | undefined;
  /** State oracle, with what the world remembers. */
  readonly wrongState?: (store: Store, memory: object | undefined) => string | undefined;
  /** Plan oracle, on each distinct plan. */
  readonly wrongPlan?: (planned: Planned) => string | undefined;
  /** The same on each distinct report. */
  readonly wrongReport?: (reported: Reported) => string | undefined;
  /** What is not yet as desired; undefined: all is. Asked of every state in which the world can stay. */
  readonly missing: (store: Store) => string | undefined;
  /** What the oracles need to remember of the past: updated after every change of the store. Plain JSON. */
  readonly memory?: {
    readonly begin: object;
    readonly next: (memory: object, store: Store, now: Instant) => object;
  };
  /** Rules of a reconcile that are not as they are shipped. */
  readonly rules?: Partial<Rules>;
  /** What follows from an event, where that is not as it is shipped. */
  readonly enqueued?: typeof keysToEnqueue;
  /**
   * Requests of a key that are under way at once: they are served in any order, and other things happen meanwhile. Default 1: each is
   * served and answered as it is sent.
   */
  readonly atOnce?: number;
  /** Status writes are held back by the shipped pace; default: a status is written whenever it differs. */
  readonly pace?: PaceOptions;
  /** Keys wait for a worker, so that a new spec is acknowledged before its plan is carried out. Default false. */
  readonly othersWait?: boolean;
  readonly queueBug?: QueueBug;
  /** Reconciles without a cause (resync, burst) are explored too. Default true. */
  readonly spurious?: boolean;
  /** More states than this fail the run. Default 300,000. */
  readonly most?: number;
  /** Whether equal answers count as wasted effort on paths without faults and other writers. Default true. */
  readonly effort?: boolean;
}

/** The objects of one resource in the store, in the order of their names. */
export function objectsOf<T extends KubeObject>(store: Store, resource: Resource<T>): readonly T[] {
  return heldOf(store, resource).map(({ object }) => object as unknown as T);
}
