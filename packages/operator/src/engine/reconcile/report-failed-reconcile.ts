import { conditionTypes } from '@atoll/api';
import { parseKey, type Instant, type KubeObject, type Stored } from '@atoll/kube';
import {
  conditionMessage,
  conditionSince,
  mergeConditions,
  overallStatements,
  overallTypes,
  type FoundCondition,
} from '../status/conditions.ts';
import type { Controller } from '../controller.ts';
import type { ReconcileEnd } from './reconcile-end.ts';
import type { ReconcileDeps } from './reconcile-deps.ts';
import { runReconcile } from './run-reconcile.ts';
import { statusPlan } from './status-plan.ts';
import { subjectOf } from './subject-of.ts';

/**
 * {@link runReconcile}; where that throws, which only an error of ours can make it do, the object shows it in its overall
 * conditions, in an event and in the metrics before the error is thrown on: it is one object that cannot be handled, and others are not held
 * up.
 */
export async function runReportedReconcile<Snapshot>(
  controller: Controller<Snapshot>,
  key: string,
  deps: ReconcileDeps,
): Promise<ReconcileEnd> {
  try {
    return await runReconcile(controller, key, deps);
  } catch (error) {
    if (!deps.signal.aborted) await report(controller, key, deps, error);
    throw error;
  }
}

async function report<Snapshot>(
  { name, resource, foreign }: Controller<Snapshot>,
  key: string,
  deps: ReconcileDeps,
  error: unknown,
): Promise<void> {
  const object = deps.cacheOf(resource)?.get(parseKey(key));
  if (object === undefined) return;
  deps.announcer.reconcileFailed({ controller: name, key });
  const message = conditionMessage(
    `the reconcile failed: ${error instanceof Error ? error.message : String(error)}`,
  );
  const regarding = subjectOf(resource, parseKey(key), object);
  const event = {
    type: 'Warning',
    regarding,
    reason: 'ReconcileFailed',
    action: 'Reconcile',
    note: message,
  } as const;
  if (foreign === true) {
    deps.announcer.record([event]);
    return;
  }
  const status = failedStatus(object, message, deps.clock.now());
  const plan = statusPlan([{ resource, object, status }]);
  if (plan.stages.every(({ steps }) => steps.length === 0)) return;
  deps.announcer.record([event]);
  await deps.executor.execute(plan, { controller: name, key, signal: deps.signal });
}

/** The status as it was found, with what the failure means for the overall conditions. */
function failedStatus(object: Stored<KubeObject>, message: string, now: Instant): object {
  const { status = {} } = object as { readonly status?: { readonly conditions?: readonly FoundCondition[] } };
  const since = conditionSince(status.conditions, conditionTypes.ready, 'False') ?? now;
  const reason = 'ReconcileFailed';
  const trouble = { reason, message, since, stalls: 'never' } as const;
  const standing = { observed: true, done: false, moving: false, reason, message, trouble } as const;
  const statements = overallStatements(standing, now);
  const { generation } = object.metadata;
  return {
    ...status,
    conditions: mergeConditions(status.conditions, statements, overallTypes, generation, now),
  };
}
