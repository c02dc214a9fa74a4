import type { Subset, UnitedDeployment } from '@atoll/api';
import { sameJson } from '../../engine/same-meaning.ts';

/** A subset that a request brings or changes. */
export interface ChangedSubset {
  readonly subset: Subset;
  /** Its place in the spec. */
  readonly index: number;
  /** Whether the request changes one of these fields; in a new subset everything that is given is a change. */
  readonly changes: (...fields: readonly (keyof Subset)[]) => boolean;
}

/**
 * What there is to judge of the subsets. What was wrong before a rule came, or while nobody asked us, may stay: where the
 * pods of a subset run cannot even be corrected, so its number must be free.
 */
export function changedSubsets(
  object: UnitedDeployment,
  old: UnitedDeployment | undefined,
): readonly ChangedSubset[] {
  const known = new Map(old?.spec.topology?.subsets?.map((subset) => [subset.name, subset]));
  return (object.spec.topology?.subsets ?? []).map((subset, index) => {
    const before = known.get(subset.name);
    return {
      subset,
      index,
      // `null` is how some clients leave a field out.
      changes: (...fields) =>
        fields.some((field) => !sameJson(before?.[field] ?? null, subset[field] ?? null)),
    };
  });
}
