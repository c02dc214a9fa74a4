import { tolerates, type Taint, type Toleration } from '@atoll/kube';

/**
 * The template's own tolerations, then one for each taint of the pool that they do not cover: key, value and effect
 * exactly, so that a pod is let in by this taint and by no other. A taint that stands twice is tolerated once.
 */
export function withPoolTolerations(
  own: readonly Toleration[],
  taints: readonly Taint[],
): readonly Toleration[] {
  // No list at all: the API server refuses the child and names the field.
  if (!Array.isArray(own)) return own;
  const all: Toleration[] = [...own];
  for (const taint of taints) {
    if (!all.some((toleration) => tolerates(toleration, taint))) all.push(tolerationFor(taint));
  }
  return all;
}

function tolerationFor({ key, value = '', effect }: Taint): Toleration {
  return { key, operator: 'Equal', ...(value === '' ? {} : { value }), effect };
}
