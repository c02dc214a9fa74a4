import { formatKey } from '@atoll/kube';
import type { KubeObject, ObjectKey, Resource, Stored } from '@atoll/kube';
import { guardOf, guardOfAbsent } from '../plan.ts';
import type { Plan } from '../plan.ts';

/** Every plan is guarded by its parent: where the controller does not name it, by its uid and generation, or its absence. */
export function guarded(
  plan: Plan,
  resource: Resource<KubeObject>,
  key: ObjectKey,
  parent: Stored<KubeObject> | undefined,
): Plan {
  const { guards = [] } = plan;
  if (guards.some((guard) => guard.resource === resource && formatKey(guard.key) === formatKey(key)))
    return plan;
  const guard = parent === undefined ? guardOfAbsent(resource, key) : guardOf(resource, parent);
  return { ...plan, guards: [guard, ...guards] };
}
