import { annotations } from '@atoll/api';
import { containsWanted, semanticallyEqual, type Stored, type Fields } from '@atoll/kube';
import type { ChildWorkload } from '../../children/child.ts';
import { isLeftByOldOperator } from '../../children/ownership/field-owners.ts';
import { finishByTemplate } from '../rendering/finish-child.ts';
import type { RenderInput } from '../rendering/render-child.ts';
import { samePods } from './what-decides.ts';

/**
 * Whether an overrider of the old operator (YurtAppOverrider, v1.4 to v1.6) has given a pool's child what the template
 * does not have: an image, a number of replicas, any field. Nothing of ours has it, so to apply the template would
 * take it away and replace pods; whether that is wanted only a person can know. Once a child was applied by us it is
 * as in the template, and this is over.
 *
 * The marks are what the old operator leaves without the overrider itself: the name in the workload's status, which it
 * never clears, and the time with which it pokes children. Where the child is as in the template all the same, as
 * in a pool that the overrider does not name, nothing is held back.
 */
export function isOverridden(input: RenderInput, live: Stored<ChildWorkload>): boolean {
  const { metadata, status } = input.owner.object;
  const poked = live.metadata.annotations?.[annotations.lastOverrideTime];
  if (!isLeftByOldOperator(live) || (poked === undefined && !status?.overriderRef)) return false;
  if (metadata.annotations?.[annotations.discardOverrides] === 'true') return false;
  const { template, ...wanted } = finishByTemplate(input, live, 0).spec;
  const { template: found = {}, ...others } = live.spec ?? {};
  return !samePods(found, template) || !sameFields(others, wanted);
}

/** What the API server fills into a Deployment; the old operator made no children of another kind. */
const defaults: Readonly<Record<string, unknown>> = {
  progressDeadlineSeconds: 600,
  revisionHistoryLimit: 10,
  strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
};

/** Whether a live spec has all that is wanted, and otherwise defaults only. Replicas that nobody wants are left to the one who scales. */
function sameFields(live: Fields, wanted: Fields): boolean {
  if (!containsWanted(live, wanted)) return false;
  const others = Object.entries(live).filter(([name]) => wanted[name] === undefined && name !== 'replicas');
  return others.every(([name, value]) => semanticallyEqual(value, defaults[name]));
}
