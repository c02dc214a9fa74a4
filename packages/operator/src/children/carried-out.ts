import { isFields, type Fields } from '@atoll/kube';

export const scaleStrategy = 'scaleStrategy';

/**
 * `scaleStrategy.podsToDelete` of a CloneSet is no state but work: its controller deletes the pods and takes their names out. To name them again because of that
 * would have no end.
 */
export function withoutPodsToDelete<Spec extends object>(spec: Spec): Spec {
  const given = (spec as Fields)[scaleStrategy];
  if (!isFields(given) || given['podsToDelete'] === undefined) return spec;
  const { podsToDelete: _, ...rest } = given;
  return { ...spec, [scaleStrategy]: rest };
}
