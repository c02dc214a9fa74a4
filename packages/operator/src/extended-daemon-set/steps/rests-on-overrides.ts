import {
  extendedDaemonSetLabels as labels,
  extendedDaemonsetSettings,
  type ExtendedDaemonSet,
  type ExtendedDaemonsetSetting,
} from '@atoll/api';
import { asLabelValue, type Stored } from '@atoll/kube';
import { definitionSeen } from '../../children/lost-with-definition.ts';
import { nodeSeenAs, seenAs, seenAsNode, seenInSpec } from '../../engine/steps/seen.ts';
import type { Seen } from '../../engine/step.ts';
import type { NodeTarget } from '../fleet/nodes/node-targets.ts';
import type { ExtendedDaemonSetSnapshot } from '../observe.ts';
import { nodeResourcesPrefixOf } from '../overrides/node-resources.ts';

/** What is there of settings, as it was seen. */
export interface KnownSettings extends Pick<ExtendedDaemonSetSnapshot, 'definitionOfSettings'> {
  /** All of the namespace. */
  readonly settings: readonly Stored<ExtendedDaemonsetSetting>[];
}

/** A label of this length may hold a name that was shortened. */
const whole = 63;

/**
 * What the deletion of a pod rests on that was made with other overrides: its node with the annotations, and the setting that it was made with. A
 * leader whose watch of them is behind would end pods because of what it does not see. Where that setting is gone, also the definition of all settings: it
 * did not go with it. Three live reads for each such pod of a batch at most.
 */
export function restsOnOverrides(
  { metadata }: Stored<ExtendedDaemonSet>,
  { seen, outdatedBy, overrides, pods: { kept }, target }: NodeTarget,
  { settings, definitionOfSettings }: KnownSettings,
): readonly Seen[] {
  if (outdatedBy !== 'overrides') return [];
  const definition = overrides.gone === undefined ? [] : definitionSeen(definitionOfSettings);
  const { annotations } = nodeSeenAs(seen, nodeResourcesPrefixOf(metadata));
  const node: Seen = {
    ...seenAsNode(target.id, seen),
    ...(annotations === undefined ? {} : { annotations }),
  };
  const madeWith = kept?.metadata.labels?.[labels.settingName];
  if (madeWith === undefined) return [node];
  const isMadeWith = (setting: Stored<ExtendedDaemonsetSetting>): boolean =>
    asLabelValue(setting.metadata.name) === madeWith;
  // The one that applies guards the plan.
  if (overrides.setting !== undefined && isMadeWith(overrides.setting)) return [node];
  const found = settings.find(isMadeWith);
  if (found !== undefined) return [node, seenInSpec(extendedDaemonsetSettings, found), ...definition];
  if (madeWith.length >= whole) return [node, ...definition];
  const { namespace = '' } = metadata;
  return [node, seenAs(extendedDaemonsetSettings, { namespace, name: madeWith }, undefined), ...definition];
}
