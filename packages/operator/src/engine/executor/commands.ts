import type { ApiError, KubeObject, ObjectKey, Resource, Stored } from '@atoll/kube';
import type { RequestClass } from './requests/in-flight.ts';
import type { CacheUpdate } from './answers/judge.ts';
import type { Answer, WriteStep } from './requests/request.ts';
import { nothingRefused, type RefusedTrials } from '../refused-trials.ts';
import type { Listing } from '../plan.ts';
import type { PlannedEvent } from '../step.ts';

/** What something is done for: a step, by its index in the plan; the plan as a whole; a write that is in doubt. */
export type Subject = number | 'plan' | 'doubt';

/** A write whose answer was lost, and whose object could not be read back yet. */
export interface InDoubt {
  readonly step: WriteStep;
  readonly error: ApiError;
}

/** What outlives a reconcile of a key. */
export interface Memory {
  readonly inDoubt: readonly InDoubt[];
  /** Steps of slow-start stages that failed when last sent, by `stepId`: they are sent last. */
  readonly failedLast: ReadonlySet<string>;
  /** Those that were not sent because too many others failed. */
  readonly skippedLast: ReadonlySet<string>;
  readonly refusedTrials: RefusedTrials;
}

export const emptyMemory: Memory = {
  inDoubt: [],
  failedLast: new Set(),
  skippedLast: new Set(),
  refusedTrials: nothingRefused,
};

export function isEmptyMemory({ inDoubt, failedLast, skippedLast, refusedTrials }: Memory): boolean {
  return inDoubt.length === 0 && failedLast.size === 0 && skippedLast.size === 0 && refusedTrials.size === 0;
}

/** A live read; undefined: the object does not exist. */
export type Live = { readonly live: Stored<KubeObject> | undefined } | { readonly error: ApiError };

/** What a live list found. */
export type Listed = { readonly listed: readonly Stored<KubeObject>[] } | { readonly error: ApiError };

/** What carrying out a plan needs of its driver. */
export type ExecutionCommand =
  /** A place among the requests in flight; answered by `placed`. */
  | { readonly command: 'place'; readonly of: Subject; readonly class: RequestClass }
  /** The place is free again. */
  | { readonly command: 'leave'; readonly of: Subject }
  /** A live read; answered by `read`. */
  | {
      readonly command: 'read';
      readonly of: Subject;
      readonly resource: Resource<KubeObject>;
      readonly key: ObjectKey;
    }
  /** A live list for a plan; answered by `listed`. */
  | { readonly command: 'list'; readonly of: 'plan'; readonly listing: Listing }
  /** The request of a step; answered by `answered`. */
  | { readonly command: 'send'; readonly of: number; readonly step: WriteStep }
  /** An event for people. */
  | { readonly command: 'record'; readonly event: PlannedEvent }
  /** What answers and live reads show goes into the caches. */
  | { readonly command: 'cache'; readonly updates: readonly CacheUpdate[] }
  /** To be kept for the next reconcile of the key. */
  | { readonly command: 'remember'; readonly memory: Memory };

export type ExecutionEvent =
  | { readonly event: 'placed'; readonly of: Subject }
  | { readonly event: 'read'; readonly of: Subject; readonly read: Live }
  | { readonly event: 'listed'; readonly of: 'plan'; readonly listed: Listed }
  | { readonly event: 'answered'; readonly of: number; readonly answer: Answer };
