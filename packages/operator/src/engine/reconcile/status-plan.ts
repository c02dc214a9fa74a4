import type { Condition } from '@atoll/api';
import { keyOf } from '@atoll/kube';
import type { StatusWrite } from '../controller.ts';
import { patchAsSeen } from '../steps/patch-as-seen.ts';
import type { Plan } from '../plan.ts';
import { statusDiff } from '../status/status-diff.ts';
import type { Reason, Step } from '../step.ts';

const why: Reason = { word: 'StatusOutdated', message: 'the status follows what was observed' };

/** The status writes that change something, as a plan: each with uid and resourceVersion as preconditions. */
export function statusPlan(writes: readonly StatusWrite[]): Plan {
  const steps = writes.flatMap((write): readonly Step[] => {
    const diff = statusDiff((write.object as { readonly status?: object }).status, write.status);
    if (diff === undefined) return [];
    if (write.only !== undefined) return [conditionsStep(write, write.only)];
    const patch = { type: 'merge', body: { status: diff } } as const;
    return [{ ...patchAsSeen(write.resource, write.object, patch), subresource: 'status', why }];
  });
  return { stages: [{ name: 'status', steps }], holds: [], targets: [] };
}

/** All of our conditions, and none where ours go. */
function conditionsStep(
  { resource, object, status }: StatusWrite,
  { conditions: types, fieldManager }: NonNullable<StatusWrite['only']>,
): Step {
  const { conditions = [] } = status as { readonly conditions?: readonly Condition[] };
  const own = conditions.filter(({ type }) => types.includes(type));
  const { uid } = object.metadata;
  return { do: 'conditions', resource, key: keyOf(object), uid, conditions: own, types, fieldManager, why };
}
