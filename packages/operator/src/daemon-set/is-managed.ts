import { conditionTypes, daemonSetUpdate } from '@atoll/api';
import { conditionOf, type DaemonSet, type Stored } from '@atoll/kube';

const { annotations, daemonSetConditions } = daemonSetUpdate;

/** The types of our conditions on a DaemonSet. */
export const ownConditionTypes: readonly string[] = [
  daemonSetConditions.upToDate,
  daemonSetConditions.held,
  conditionTypes.stalled,
];

/**
 * Whether the DaemonSet asks for an upgrade strategy, or did so and is not cleaned up yet: our own conditions go last, so that they
 * show it. Pods of an earlier DaemonSet are found by their own conditions (`observe`).
 */
export function isManaged(object: Stored<DaemonSet>): boolean {
  const asked = object.metadata.annotations ?? {};
  return annotations.updateStrategy in asked || annotations.upgradeStrategy in asked || isRecorded(object);
}

/** Its own condition shows that it is served. Nothing is written on its pods before, so that they are found when it asks for nothing any more. */
export function isRecorded(object: DaemonSet): boolean {
  return conditionOf(object, daemonSetConditions.upToDate) !== undefined;
}
