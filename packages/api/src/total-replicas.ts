import { annotations } from './names.ts';
import {
  defaultTotalReplicas,
  type UnitedDeployment,
  type UnitedDeploymentSpec,
} from './united-deployment.ts';

/**
 * The total that counts (docs/decisions/0008). undefined: none was given, every subset has a number of its own, and
 * these add up to it.
 */
export function totalReplicas(object: Pick<UnitedDeployment, 'metadata' | 'spec'>): number | undefined {
  const { replicas } = object.spec;
  const subsetsDecide = replicas === undefined || String(replicas) === filledTotalOf(object);
  if (subsetsDecide && sumOfSubsets(object.spec) !== undefined) return undefined;
  return replicas ?? defaultTotalReplicas;
}

/** What is to be written, so that `spec.replicas` always holds the total: the `scale` subresource cannot be read otherwise. */
export interface FilledTotal {
  readonly replicas: number;
  /** Of {@link annotations.totalOfSubsets}; undefined: the annotation is to go. */
  readonly annotation: string | undefined;
}

/** undefined: all is as it should be. */
export function totalToFillIn(object: Pick<UnitedDeployment, 'metadata' | 'spec'>): FilledTotal | undefined {
  const { replicas } = object.spec;
  const filled = filledTotalOf(object);
  if (replicas !== undefined && filled === undefined) return undefined;
  const total = totalReplicas(object);
  if (total !== undefined) return { replicas: total, annotation: undefined };
  const sum = sumOfSubsets(object.spec) ?? defaultTotalReplicas;
  if (replicas === sum && filled === String(sum)) return undefined;
  return { replicas: sum, annotation: String(sum) };
}

function filledTotalOf({ metadata }: Pick<UnitedDeployment, 'metadata'>): string | undefined {
  return metadata.annotations?.[annotations.totalOfSubsets];
}

/** undefined: not every subset has a number, or there is none. */
function sumOfSubsets({ topology }: UnitedDeploymentSpec): number | undefined {
  const subsets = topology?.subsets ?? [];
  const numbers = subsets.map(({ replicas }) => replicas).filter((replicas) => typeof replicas === 'number');
  if (subsets.length === 0 || numbers.length < subsets.length) return undefined;
  return numbers.reduce((sum, number) => sum + number, 0);
}
