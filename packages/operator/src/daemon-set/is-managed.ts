import { conditionTypes, daemonSetUpdate } from '@atoll/api';
import type { DaemonSet, Stored } from '@atoll/kube';

const { annotations, daemonSetConditions } = daemonSetUpdate;

/** The types of our conditions on a DaemonSet. */
export const ownConditionTypes: readonly string[] = [
  daemonSetConditions.upToDate,
  daemonSetConditions.held,
  conditionTypes.stalled,
];

/**
 * Whether the DaemonSet asks for an upgrade strategy, or did so and is not cleaned up yet: our own conditions go last, so that they
 * show it.
 */
export function isManaged({ metadata, status }: Stored<DaemonSet>): boolean {
  const asked = metadata.annotations ?? {};
  if (annotations.updateStrategy in asked || annotations.upgradeStrategy in asked) return true;
  return (status?.conditions ?? []).some(({ type }) => type === daemonSetConditions.upToDate);
}
