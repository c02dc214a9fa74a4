import type { KubeObject, Resource } from '@atoll/kube';
import type { z } from 'zod';
import { kruiseGroup } from './names.ts';
import type { Frozen } from './schema/frozen.ts';
import type { subset } from './schema/subset.ts';
import type { unitedDeploymentStatus } from './schema/united-deployment-status.ts';
import type { unitedDeploymentSpec } from './schema/united-deployment.ts';

export type UnitedDeploymentSpec = Frozen<z.input<typeof unitedDeploymentSpec>>;
export type UnitedDeploymentStatus = Frozen<z.input<typeof unitedDeploymentStatus>>;

/** `spec.topology.subsets[]`. */
export type Subset = Frozen<z.input<typeof subset>>;

/** `status.subsetStatuses[]`. */
export type SubsetStatus = NonNullable<UnitedDeploymentStatus['subsetStatuses']>[number];

/** `spec.template`: exactly one member is set, by a rule of the schema. */
export type SubsetWorkloadTemplate = UnitedDeploymentSpec['template'];

export interface UnitedDeployment extends KubeObject {
  readonly spec: UnitedDeploymentSpec;
  readonly status?: UnitedDeploymentStatus;
}

/** v1beta1 is served too, shares the schema and is what kubectl uses; we read and write the stored version. */
export const unitedDeployments: Resource<UnitedDeployment> = {
  group: kruiseGroup,
  version: 'v1alpha1',
  preferredVersion: 'v1beta1',
  kind: 'UnitedDeployment',
  plural: 'uniteddeployments',
  namespaced: true,
};

/** `spec.replicas` where it is left out and the subsets do not all have a number. */
export const defaultTotalReplicas = 1;

/** Seconds; where `adaptive` leaves them out (`reference/uniteddeployment.md` 1.2). */
export const adaptiveDefaults = { rescheduleCriticalSeconds: 30, unschedulableDuration: 300 } as const;
