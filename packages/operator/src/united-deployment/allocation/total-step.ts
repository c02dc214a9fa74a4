import { annotations, totalToFillIn } from '@atoll/api';
import { patchAsSeen } from '../../engine/steps/patch-as-seen.ts';
import type { Step } from '../../engine/step.ts';
import type { Owner } from '../observe.ts';

/**
 * Where the total is left out, `scale` could not be read, so it is filled in (decision 8). The webhook does it with the
 * user's own write; this is for where it is not asked.
 */
export function totalSteps({ resource, object }: Owner): readonly Step[] {
  const fill = totalToFillIn(object);
  if (fill === undefined) return [];
  const { replicas, annotation = null } = fill;
  const body = {
    metadata: { annotations: { [annotations.totalOfSubsets]: annotation } },
    spec: { replicas },
  };
  return [
    {
      ...patchAsSeen(resource, object, { type: 'merge', body }),
      ifRefused: 'TotalRefused',
      why: { word: 'TotalFilledIn', message: `spec.replicas was left out and is ${replicas}` },
    },
  ];
}
