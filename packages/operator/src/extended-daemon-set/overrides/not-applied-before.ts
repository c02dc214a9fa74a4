import { settingConditions, settingStates, type ExtendedDaemonsetSetting } from '@atoll/api';
import { conditionOf, type Stored } from '@atoll/kube';
import type { Statement } from '../../engine/status/conditions.ts';

/**
 * Whether the old operator had an error of a setting, so that it made no pod with it, and the setting is as it was then. It holds settings of all objects
 * against each other (BUG-12), and looks at one only when that changes (BUG-11). The status is its own until we have written it; after that a condition
 * shows it, of this generation.
 */
export function wasNotApplied({
  metadata: { generation },
  status,
}: Pick<Stored<ExtendedDaemonsetSetting>, 'metadata' | 'status'>): boolean {
  if (status === undefined) return false;
  const noted = conditionOf({ status }, settingConditions.notAppliedBefore);
  if (noted !== undefined) return noted.status === 'True' && noted.observedGeneration === generation;
  return status.status === settingStates.error && status.observedGeneration === undefined;
}

/** What shows that. */
export const notAppliedStatement: Statement = {
  type: settingConditions.notAppliedBefore,
  status: 'True',
  reason: 'OldRenderingKept',
  message:
    'the old operator had an error of it, so pods that it made without it stay until their template or this setting changes',
};
