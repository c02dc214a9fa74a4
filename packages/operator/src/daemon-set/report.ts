import { conditionTypes, daemonSetUpdate, fieldManagers, type Condition } from '@atoll/api';
import type { Instant } from '@atoll/kube';
import { isTerminating } from '../children/child.ts';
import type { StatusWrite } from '../engine/controller.ts';
import { describeHold } from '../engine/problems/describe-hold.ts';
import { failuresOf } from '../engine/problems/failures.ts';
import { mergeConditions, type Statement } from '../engine/status/conditions.ts';
import { trialOf } from '../engine/refused-trials.ts';
import type { Outcome } from '../engine/step.ts';
import type { DaemonSetDecision } from './decide.ts';
import { ownConditionTypes } from './is-managed.ts';
import { withdrawUpgradeStep } from './strategy/need-upgrade.ts';
import type { DaemonSetSnapshot } from './observe.ts';
import { upToDateStatement, type Said } from './up-to-date.ts';

const { upToDate, held } = daemonSetUpdate.daemonSetConditions;

/** Our conditions in the status of the DaemonSet: nothing else of it is ours. */
export function report(
  { owner: { resource, object }, certain }: DaemonSetSnapshot,
  decision: DaemonSetDecision,
  outcome: Outcome,
  now: Instant,
): readonly StatusWrite[] {
  if (!certain || isTerminating(object)) return [];
  const statements = statementsOf(decision, outcome);
  if (statements === undefined) return [];
  const found = object.status?.conditions as readonly Condition[] | undefined;
  // Conditions of Kubernetes' own workloads have no `observedGeneration`.
  const conditions = mergeConditions(found, statements, ownConditionTypes, undefined, now);
  const turned = statements.some(
    ({ type, status }) => found?.find((each) => each.type === type)?.status !== status,
  );
  return [
    {
      resource,
      object,
      status: { ...object.status, conditions },
      urgent: turned,
      only: { conditions: ownConditionTypes, fieldManager: fieldManagers.daemonSetConditions },
    },
  ];
}

/** undefined: they stay as they are. */
function statementsOf(
  { request, holds, upgrade }: DaemonSetDecision,
  outcome: Outcome,
): readonly Statement[] | undefined {
  if (request.strategy === 'none') {
    // They go last. The outcome proves nothing: it may be that of a plan for the strategy that is not asked for any more.
    const isClean =
      upgrade?.withdrawn.every((pod) => withdrawUpgradeStep(pod, request.strategy) === undefined) === true;
    return isClean ? [] : undefined;
  }
  const [first] = holds;
  // Refused deletions are among the holds, all of them: some are asked for at a time, in turn.
  const remembered = new Set(upgrade?.remembers);
  const [failure] = failuresOf(outcome).filter(({ step }) => !remembered.has(trialOf(step) ?? ''));
  const waits: Said | undefined =
    failure === undefined
      ? first === undefined
        ? undefined
        : { reason: first.reason, message: describeHold(first) }
      : { reason: failure.reason, message: `${failure.target ?? 'a write'}: ${failure.error.message}` };
  const heldBy: Statement =
    waits === undefined
      ? { type: held, status: 'False', reason: 'NothingHeld', message: 'nothing is waited for' }
      : { type: held, status: 'True', ...waits };
  const stalls = first?.bad === true && first.waitsFor === 'person';
  return [
    upgrade?.latest === undefined
      ? { type: upToDate, status: 'Unknown', ...(waits ?? noUpgrade) }
      : upToDateStatement(upgrade, waits),
    heldBy,
    ...(stalls && waits !== undefined
      ? [{ type: conditionTypes.stalled, status: 'True', ...waits } as const]
      : []),
  ];
}

const noUpgrade: Said = {
  reason: 'NotYetObserved',
  message: 'waiting until the operator has reconciled this object',
};
