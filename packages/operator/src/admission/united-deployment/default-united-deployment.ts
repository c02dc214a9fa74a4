import { isFields } from '@atoll/kube';
import { annotations, totalToFillIn, type Subset, type UnitedDeployment } from '@atoll/api';

type Spec = UnitedDeployment['spec'];

/**
 * Fills in what the schema cannot, because it depends on other fields (`reference/uniteddeployment.md` 1.5): the total
 * (docs/decisions/0008), the one update strategy where it is given as empty, and `minReplicas` where bounds are in use.
 * Defaults of pods are the API server's, who fills them into the children.
 */
export function defaultUnitedDeployment(object: UnitedDeployment): UnitedDeployment {
  if (!isShaped(object)) return object;
  const spec = withBounds(withStrategy(object.spec));
  const total = totalToFillIn(object);
  if (total === undefined) return spec === object.spec ? object : { ...object, spec };
  const { [annotations.totalOfSubsets]: _, ...others } = object.metadata.annotations ?? {};
  const mark = total.annotation === undefined ? {} : { [annotations.totalOfSubsets]: total.annotation };
  return {
    ...object,
    metadata: { ...object.metadata, annotations: { ...others, ...mark } },
    spec: { ...spec, replicas: total.replicas },
  };
}

function withStrategy(spec: Spec): Spec {
  const { updateStrategy } = spec;
  if (updateStrategy?.type !== '') return spec;
  return { ...spec, updateStrategy: { ...updateStrategy, type: 'Manual' } };
}

/** The schema is asked after this, so nothing is certain of what is there; it refuses what is wrong. */
function isShaped({ spec }: { readonly spec?: unknown }): boolean {
  if (!isFields(spec)) return false;
  const topology = spec['topology'] ?? {};
  if (!isFields(topology) || !isFields(spec['updateStrategy'] ?? {})) return false;
  const subsets = topology['subsets'] ?? [];
  return Array.isArray(subsets) && subsets.every(isFields);
}

function withBounds(spec: Spec): Spec {
  const subsets = spec.topology?.subsets ?? [];
  const bounded = subsets.some(
    ({ minReplicas, maxReplicas }) => isGiven(minReplicas) || isGiven(maxReplicas),
  );
  if (!bounded || subsets.some(({ replicas }) => isGiven(replicas))) return spec;
  if (subsets.every(({ minReplicas }) => isGiven(minReplicas))) return spec;
  const filled = subsets.map((subset): Subset =>
    isGiven(subset.minReplicas) ? subset : { ...subset, minReplicas: 0 },
  );
  return { ...spec, topology: { ...spec.topology, subsets: filled } };
}

/** `null` is how some clients leave a field out. */
function isGiven(number: Subset['replicas'] | null): boolean {
  return number !== undefined && number !== null;
}

/** What a user may not have meant. */
export function defaultingWarnings(
  object: UnitedDeployment,
  old: UnitedDeployment | undefined,
): readonly string[] {
  const before = old?.spec.replicas;
  if (!isShaped(object) || object.spec.replicas !== undefined || before === undefined) return [];
  const total = totalToFillIn(object)?.replicas;
  if (total === undefined || total === before) return [];
  return [`spec.replicas is left out and becomes ${total}; it was ${before}`];
}
