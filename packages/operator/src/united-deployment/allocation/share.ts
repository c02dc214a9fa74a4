import { parseIntOrPercent, type IntOrPercent } from '@atoll/kube';

/** More replicas than this no workload of Kubernetes can have (int32). */
export const mostReplicas = 2_147_483_647;

/** What one number of a subset means. */
export interface Share {
  /** Whole replicas: percentages of the total are rounded, and half of one counts as one. */
  readonly replicas: number;
  /** The same before rounding, in hundredths of a replica, so that it is exact. */
  readonly hundredths: number;
}

/**
 * Reads a whole number from 0 up, or a whole percentage from `0%` to `100%` of the total. undefined where it is
 * neither: text without `%`, a negative number, more than the whole, a percentage of a total that nobody named.
 */
export function readShare(value: IntOrPercent | undefined, total: number | undefined): Share | undefined {
  const parsed = value === undefined ? undefined : tryParse(value);
  if (parsed === undefined || parsed.value < 0) return undefined;
  if (parsed.type === 'int') {
    if (parsed.value > mostReplicas) return undefined;
    return { replicas: parsed.value, hundredths: parsed.value * 100 };
  }
  if (parsed.value > 100 || total === undefined) return undefined;
  const hundredths = parsed.value * total;
  return { replicas: Math.floor((hundredths + 50) / 100), hundredths };
}

function tryParse(value: IntOrPercent): ReturnType<typeof parseIntOrPercent> | undefined {
  try {
    return parseIntOrPercent(value);
  } catch {
    return undefined;
  }
}
