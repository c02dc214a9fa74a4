import type { Clock, KubeObject, Resource, WriteThroughCache } from '@atoll/kube';
import type { Announcer } from '../announce.ts';
import type { ChangedBack } from '../executor/answers/changed-back.ts';
import type { Refusals } from '../executor/answers/refusals.ts';
import type { Executor } from '../executor/execute.ts';
import type { Inspections } from '../inspection.ts';
import type { StatusPace } from '../status/status-pace.ts';

/** What the reconciles of a controller share. */
export interface ReconcileDeps {
  readonly clock: Clock;
  readonly executor: Executor;
  readonly announcer: Announcer;
  readonly cacheOf: (resource: Resource<KubeObject>) => WriteThroughCache<KubeObject> | undefined;
  /** Absent: a status is written whenever it differs. */
  readonly pace?: StatusPace;
  /** Absent: what was refused is sent again in every reconcile. */
  readonly refusals?: Refusals;
  /** Absent: what somebody else changes back is written again in every reconcile. */
  readonly changedBack?: ChangedBack;
  /** Absent: nothing is inspected. */
  readonly inspections?: Inspections;
  /** Gets the milliseconds of the processor that computing took, as opposed to waiting: for answers, or for a processor that is busy. */
  readonly computed?: (ms: number) => void;
  /** Whether keys of this controller wait for a worker. Absent: none does. */
  readonly othersWait?: () => boolean;
  readonly signal: AbortSignal;
}
