import {
  canaryFailurePolicies,
  canaryPromotionPolicies,
  extendedDaemonSetAnnotations as annotations,
  type ExtendedDaemonSet,
} from '@atoll/api';
import type { Stored } from '@atoll/kube';

/** What the annotations with a choice can be; the first is what any other value means. */
const choices: readonly (readonly [annotation: string, values: readonly string[]])[] = [
  [annotations.onCanaryFailure, Object.values(canaryFailurePolicies)],
  [annotations.canaryPromotion, Object.values(canaryPromotionPolicies)],
];

/** Values that mean something else than their author thinks, where the request brings them. */
export function annotationWarnings(
  { metadata }: Stored<ExtendedDaemonSet>,
  old: Stored<ExtendedDaemonSet> | undefined,
): readonly string[] {
  return choices.flatMap(([annotation, values]) => {
    const given = metadata.annotations?.[annotation];
    const isOld = given === old?.metadata.annotations?.[annotation];
    if (given === undefined || isOld || values.includes(given)) return [];
    return [
      `the annotation ${annotation} is ${JSON.stringify(given)}, which counts as ${values[0]}: it can be ${values.join(' or ')}`,
    ];
  });
}
