import { settingConditions, settingStates, type ExtendedDaemonsetSetting } from '@atoll/api';
import type { Instant, Stored } from '@atoll/kube';
import {
  conditionSince,
  mergeConditions,
  overallStatements,
  overallTypes,
  type FoundCondition,
  type Standing,
} from '../../engine/status/conditions.ts';
import { notAppliedStatement, wasNotApplied } from './not-applied-before.ts';

const types: readonly string[] = [...overallTypes, settingConditions.notAppliedBefore];

type Status = NonNullable<ExtendedDaemonsetSetting['status']>;

/**
 * The status of a setting: the old operator's two fields, and our conditions beside them. `error` undefined: it is valid. `unused`: why it changes
 * no pod all the same.
 */
export function settingStatus(
  setting: Stored<ExtendedDaemonsetSetting>,
  error: string | undefined,
  unused: string | undefined,
  now: Instant,
): Status {
  const {
    metadata: { generation },
    status,
  } = setting;
  const found = status?.conditions as readonly FoundCondition[] | undefined;
  // Once noted it stays while we have an error of it, too: nobody has changed it.
  const isNoted = found?.some(({ type }) => type === settingConditions.notAppliedBefore) === true;
  const since = conditionSince(found, 'Ready', 'False') ?? now;
  const statements = [
    ...overallStatements(standingOf(error, unused, since), now),
    ...(wasNotApplied(setting) && (error === undefined || isNoted) ? [notAppliedStatement] : []),
  ];
  return {
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    ...(error === undefined ? { status: settingStates.valid } : { status: settingStates.error, error }),
    conditions: mergeConditions(found, statements, types, generation, now) as NonNullable<
      Status['conditions']
    >,
  };
}

function standingOf(error: string | undefined, unused: string | undefined, since: Instant): Standing {
  const stands = { observed: true, done: error === undefined, moving: false } as const;
  if (error === undefined && unused !== undefined)
    return { ...stands, reason: 'SettingUnused', message: unused, trouble: undefined };
  if (error === undefined) {
    const message = 'it is used for the nodes that it selects';
    return { ...stands, reason: 'SettingValid', message, trouble: undefined };
  }
  const message = `${error}. It applies to no node until that is corrected`;
  const trouble = { reason: 'InvalidOverride', message, since, stalls: 'now' } as const;
  return { ...stands, reason: trouble.reason, message, trouble };
}
