import type { KubeObject, Stored } from '@atoll/kube';
import type { Plan } from '../plan.ts';

/**
 * Whether the status is written before the plan is carried out: something is to be done for a spec whose generation the status
 * does not show yet. Asked only while other keys wait, so that the users of many objects that change together see within seconds
 * that each was seen; an object that changes alone is written once, afterwards.
 */
export function acknowledgesFirst(plan: Plan, parent: Stored<KubeObject> | undefined): boolean {
  return plan.stages.some(({ steps }) => steps.length > 0) && !isSeen(parent);
}

/** Whether these status writes show the generation of the parent: a kind need not report it. */
export function showsGeneration(writes: Plan, parent: Stored<KubeObject> | undefined): boolean {
  if (parent === undefined) return false;
  const { uid, generation } = parent.metadata;
  return writes.stages.some(({ steps }) =>
    steps.some(
      (step) => step.do === 'patch' && step.uid === uid && observedIn(step.patch.body) === generation,
    ),
  );
}

function isSeen(parent: Stored<KubeObject> | undefined): boolean {
  return parent === undefined || observedIn(parent) === parent.metadata.generation;
}

function observedIn(object: unknown): unknown {
  const { status } = (object ?? {}) as { readonly status?: { readonly observedGeneration?: unknown } };
  return status?.observedGeneration;
}
