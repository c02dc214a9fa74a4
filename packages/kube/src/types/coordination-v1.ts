// Generated from the OpenAPI document of Kubernetes v1.36.3 by scripts/generate-types.ts. Do not edit.

import type { KubeObject } from '../objects/object.ts';

/** Lease defines a lease concept. */
export interface Lease extends KubeObject {
  /** spec contains the specification of the Lease. */
  readonly spec?: LeaseSpec;
}

/** LeaseSpec is a specification of a Lease. */
export interface LeaseSpec {
  /** acquireTime is a time when the current lease was acquired. */
  readonly acquireTime?: string;
  /** holderIdentity contains the identity of the holder of a current lease. */
  readonly holderIdentity?: string;
  /** leaseDurationSeconds is a duration that candidates for a lease need to wait to force acquire it. */
  readonly leaseDurationSeconds?: number;
  /** leaseTransitions is the number of transitions of a lease between holders. */
  readonly leaseTransitions?: number;
  /** PreferredHolder signals to a lease holder that the lease has a more optimal holder and should be given up. */
  readonly preferredHolder?: string;
  /** renewTime is a time when the current holder of a lease has last updated the lease. */
  readonly renewTime?: string;
  /** Strategy indicates the strategy for picking the leader for coordinated leader election. */
  readonly strategy?: string;
}
