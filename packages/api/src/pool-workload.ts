import type { KubeObject } from '@atoll/kube';
import type { z } from 'zod';
import type { Frozen } from './schema/frozen.ts';
import type { poolWorkloadSpec, poolWorkloadStatus } from './schema/pool-workload.ts';

/** What UnitedDaemonSet and YurtAppDaemon share: everything but the name of the kind. */
export type PoolWorkloadSpec = Frozen<z.input<typeof poolWorkloadSpec>>;

export type PoolWorkloadStatus = Frozen<z.input<typeof poolWorkloadStatus>>;

/** `spec.workloadTemplate`: exactly one member is set, by a rule of the schema. */
export type WorkloadTemplate = NonNullable<PoolWorkloadSpec['workloadTemplate']>;
export type DeploymentTemplate = NonNullable<WorkloadTemplate['deploymentTemplate']>;

/** `status.pools[]`: one pool's child. */
export type PoolSummary = NonNullable<PoolWorkloadStatus['pools']>[number];

/** `status.workloadSummary[]`: the old operator's shape of the same. */
export type WorkloadSummary = NonNullable<PoolWorkloadStatus['workloadSummary']>[number];

export interface PoolWorkload extends KubeObject {
  readonly spec: PoolWorkloadSpec;
  readonly status?: PoolWorkloadStatus;
}

/** Where `spec.revisionHistoryLimit` is absent, as in objects that were written past the schema's default. */
export const defaultRevisionHistoryLimit = 10;
