import type { StreamingClient } from '@atoll/kube';
import type { ControlPlane } from '@atoll/testbed';
import type { PaceMeter } from '../pace/pace.ts';
import type { WriteLog } from './write-log.ts';

/** Where it is measured, and how long. */
export interface Bench {
  readonly controlPlane: ControlPlane;
  readonly client: StreamingClient;
  readonly writes: WriteLog;
  readonly pace: PaceMeter;
  readonly runs: number;
  readonly restSeconds: number;
  /** Where the operator's processor profiles go. */
  readonly profile: string | undefined;
}

/** How long the operator must have written nothing to be done. */
export const quietMs = 3_000;
/** How long anything may take. */
export const patienceMs = 600_000;
