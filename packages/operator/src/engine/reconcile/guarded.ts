import type { KubeObject, ObjectKey, Resource, Stored } from '@atoll/kube';
import { guardOf, guardOfAbsent } from '../plan.ts';
import type { Plan } from '../plan.ts';

/** Every plan has a guard: where a controller names no control annotations, the parent's uid and generation, or its absence. */
export function guarded(
  plan: Plan,
  resource: Resource<KubeObject>,
  key: ObjectKey,
  parent: Stored<KubeObject> | undefined,
): Plan {
  if (plan.guard !== undefined) return plan;
  return {
    ...plan,
    guard: parent === undefined ? guardOfAbsent(resource, key) : guardOf(resource, parent),
  };
}
