import { fieldsOf, type Fields } from '@atoll/kube';
import type { ChildKind } from '../subsets/child-kind.ts';

/**
 * The spec of a child in which so many pods may be missing during a rollout that those which wait for room do not hold
 * it up (`reference/uniteddeployment.md` 3.11). Only for the kinds that reservation allows.
 */
export function withMaxUnavailable(
  kind: ChildKind,
  spec: Fields,
  maxUnavailable: number | undefined,
): Fields {
  if (maxUnavailable === undefined) return spec;
  if (kind === 'CloneSet') {
    return { ...spec, updateStrategy: { ...fieldsOf(spec['updateStrategy']), maxUnavailable } };
  }
  const strategy = fieldsOf(spec['strategy']);
  if (kind !== 'Deployment' || strategy['type'] === 'Recreate') return spec;
  const rollingUpdate = { ...fieldsOf(strategy['rollingUpdate']), maxUnavailable };
  return { ...spec, strategy: { ...strategy, type: 'RollingUpdate', rollingUpdate } };
}
