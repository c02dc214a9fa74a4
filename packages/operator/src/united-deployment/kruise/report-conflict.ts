import { conditionTypes, type ReasonWord } from '@atoll/api';
import type { Instant } from '@atoll/kube';
import { isTerminating } from '../../children/child.ts';
import { mergeConditions, overallStatements } from '../../engine/status/conditions.ts';
import type { StatusWrite } from '../../engine/controller.ts';
import { describeHold } from '../../engine/describe-hold.ts';
import { hold, type Hold } from '../../engine/hold.ts';
import { refusedByLeftWebhooks, type KruiseFacts, type ConflictingController } from './kruise-manager.ts';
import type { UnitedDeploymentSnapshot } from '../observe.ts';

const { ready, progressing, degraded, stalled } = conditionTypes;
const reason: ReasonWord = 'ServedByKruise';

/** Why children are left to the conflicting controller. */
export function conflictHold({ cause, until }: ConflictingController): Hold {
  const held = hold(reason, 'person', [], cause, true);
  return until === undefined ? held : { ...held, until };
}

/**
 * That it is so, in the conditions that Kruise leaves alone: it takes away `SubsetFailure` where it sees no failure, and
 * reconciles at each change of the status. All else stays as that controller wrote it.
 */
export function reportConflict(
  { owner }: UnitedDeploymentSnapshot,
  conflict: ConflictingController,
  now: Instant,
): readonly StatusWrite[] {
  const { resource, object } = owner;
  if (isTerminating(object)) return [];
  const message = describeHold(conflictHold(conflict));
  const trouble = { reason, message, since: now, stalls: 'now' } as const;
  const standing = { observed: true, done: false, moving: false, reason, message, trouble };
  const own = [ready, progressing, degraded, stalled];
  const { conditions } = object.status ?? {};
  const { generation } = object.metadata;
  const stated = mergeConditions(conditions, overallStatements(standing, now), own, generation, now);
  return [{ resource, object, status: { ...object.status, conditions: stated } }];
}

/** Holds nothing back: children are made all the same, and the API server may refuse what people write. */
export function leftWebhooks(facts: KruiseFacts): readonly Hold[] {
  const problem = refusedByLeftWebhooks(facts);
  if (problem === undefined) return [];
  return [hold('KruiseWebhooksLeft', 'person', [], { problem }, false)];
}
