import { annotations, totalToFillIn } from '@atoll/api';
import type { Step } from '../engine/step.ts';
import type { Owner } from './observe.ts';

/**
 * Where the total is left out, `scale` could not be read, so it is filled in (decision 8). The webhook does it with the
 * user's own write; this is for where it is not asked.
 */
export function totalSteps({ resource, object }: Owner): readonly Step[] {
  const fill = totalToFillIn(object);
  if (fill === undefined) return [];
  const { name, namespace = '', uid, resourceVersion } = object.metadata;
  const { replicas, annotation = null } = fill;
  return [
    {
      do: 'patch',
      resource,
      key: { namespace, name },
      uid,
      resourceVersion,
      patch: {
        type: 'merge',
        body: { metadata: { annotations: { [annotations.totalOfSubsets]: annotation } }, spec: { replicas } },
      },
      ifRefused: 'TotalRefused',
      why: { word: 'TotalFilledIn', message: `spec.replicas was left out and is ${replicas}` },
    },
  ];
}
