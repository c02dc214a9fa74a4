import { tolerates, type Taint, type Toleration } from '@atoll/kube';

/**
 * The template's own tolerations, then one for each taint of the pool that they do not cover: key, value and effect
 * exactly, so that a pod is let in by this taint and by no other. A taint that stands twice is tolerated once. One that is covered by
 * its number (`Gt`, `Lt`) is added all the same, as it was before these were compared: children are not rewritten because of it.
 */
export function withPoolTolerations(
  own: readonly Toleration[],
  taints: readonly Taint[],
): readonly Toleration[] {
  // No list at all: the API server refuses the child and names the field.
  if (!Array.isArray(own)) return own;
  const all: Toleration[] = [...own];
  for (const taint of taints) {
    if (!all.some((toleration) => !comparesNumbers(toleration) && tolerates(toleration, taint)))
      all.push(tolerationFor(taint));
  }
  return all;
}

/** A list of a custom kind may hold null, which the API server refuses in the child. */
function comparesNumbers(toleration: Toleration | null): boolean {
  return toleration?.operator === 'Gt' || toleration?.operator === 'Lt';
}

function tolerationFor({ key, value = '', effect }: Taint): Toleration {
  return { key, operator: 'Equal', ...(value === '' ? {} : { value }), effect };
}
