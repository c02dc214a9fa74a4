import type { StatusWrite } from '../controller.ts';
import { patchAsSeen } from '../executor/patch-as-seen.ts';
import type { Plan } from '../plan.ts';
import { statusDiff } from '../status/status-diff.ts';
import type { Reason, Step } from '../step.ts';

/** The status writes that change something, as a plan: each with uid and resourceVersion as preconditions. */
export function statusPlan(writes: readonly StatusWrite[]): Plan {
  const steps = writes.flatMap((write): readonly Step[] => {
    const diff = statusDiff((write.object as { readonly status?: object }).status, write.status);
    if (diff === undefined) return [];
    const patch = { type: 'merge', body: { status: diff } } as const;
    const why: Reason = { word: 'StatusOutdated', message: 'the status follows what was observed' };
    return [{ ...patchAsSeen(write.resource, write.object, patch), subresource: 'status', why }];
  });
  return { stages: [{ name: 'status', steps, runs: 'always' }], holds: [], targets: [] };
}
