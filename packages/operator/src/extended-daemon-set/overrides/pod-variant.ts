import { extendedDaemonSetAnnotations as annotations, extendedDaemonSetLabels as labels } from '@atoll/api';
import { asLabelValue, type Pod, type Stored } from '@atoll/kube';
import { noOverrides, type PodOverrides } from './pod-overrides.ts';

/**
 * Names what overrides make of a pod. Pods of one replica set that have the same variant differ in their name and node alone, so that the API
 * server takes all of them or none.
 */
export function variantOf({ hash = noOverrides, nodeHash, setting }: PodOverrides): string {
  return variant(hash, nodeHash, setting === undefined ? undefined : asLabelValue(setting.metadata.name));
}

/** The variant of a pod that is there. */
export function variantOfPod({ metadata }: Stored<Pod>): string {
  const { annotations: found = {}, labels: ofPod = {} } = metadata;
  return variant(found[annotations.overridesHash], found[annotations.nodeHash], ofPod[labels.settingName]);
}

function variant(...parts: readonly (string | undefined)[]): string {
  return parts.map((part) => part ?? '').join(' ');
}
