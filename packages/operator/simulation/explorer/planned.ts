import type { Instant } from '@atoll/kube';
import type { Controller } from '../../src/engine/controller.ts';
import type { Plan } from '../../src/engine/plan.ts';

/** Decides and plans, as a reconcile does. */
export function planOf<Snapshot>(controller: Controller<Snapshot>, snapshot: Snapshot, now: Instant): Plan {
  return controller.plan(snapshot, controller.decide(snapshot, now), now);
}
