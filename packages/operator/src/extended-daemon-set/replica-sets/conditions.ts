import {
  replicaSetConditions,
  type ExtendedDaemonSetCondition,
  type ExtendedDaemonSetReplicaSet,
} from '@atoll/api';
import { conditionOf, storableConditions, type Instant } from '@atoll/kube';
import { conditionMessage, toTimestamp } from '../../engine/status/conditions.ts';

/** The content of one of the old operator's conditions. */
export interface OldStatement {
  readonly type: string;
  readonly holds: boolean;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
  /** When it was last found to be so, where the time is of interest; undefined: only changes are noted. */
  readonly updatedAt?: Instant | undefined;
}

type Found = ExtendedDaemonSetCondition;

/**
 * Only the active replica set gets any of these; one whose rolling update was paused or frozen all the time has never been `Active`.
 */
const conditionsOfActive: readonly string[] = [
  replicaSetConditions.active,
  replicaSetConditions.rollingUpdatePaused,
  replicaSetConditions.rolloutFrozen,
];

/** Whether the status of the replica set shows that it is the active one. */
export function isShownActive(replicaSet: ExtendedDaemonSetReplicaSet): boolean {
  return conditionsOfActive.some((type) => trueCondition(replicaSet, type) !== undefined);
}

/** Whether the replica set is, or was, the active one. */
export function wasActive(replicaSet: ExtendedDaemonSetReplicaSet): boolean {
  return conditionsOfActive.some((type) => conditionOf(replicaSet, type) !== undefined);
}

/**
 * The conditions after the statements were made, by the old operator's rule: one that was never True is not written; both times move when
 * it turns; a False one keeps the reason and the message of the time when it was True, because people and tools rely on that. `generation`: of the
 * object that they are about; absent: its spec never changes.
 */
export function mergeOldConditions(
  found: readonly Found[] | undefined,
  statements: readonly OldStatement[],
  now: Instant,
  generation?: number,
): readonly Found[] {
  const open = new Map(statements.map((statement) => [statement.type, statement]));
  const merged = storableConditions(found).map((old) => {
    const statement = open.get(old.type);
    open.delete(old.type);
    return statement === undefined ? old : updated(old, statement, now, generation);
  });
  for (const statement of open.values()) {
    if (statement.holds) merged.push(updated(undefined, statement, now, generation));
  }
  return merged;
}

/** The condition where it is True. */
export function trueCondition(
  object: { readonly status?: { readonly conditions?: readonly Found[] } },
  type: string,
): Found | undefined {
  const found = conditionOf(object, type);
  return found?.status === 'True' ? found : undefined;
}

function updated(
  old: Found | undefined,
  { type, holds, reason, message, updatedAt }: OldStatement,
  now: Instant,
  generation: number | undefined,
): Found {
  const status = holds ? 'True' : 'False';
  const turns = old?.status !== status;
  const at = toTimestamp(now);
  const statement = holds
    ? {
        ...(reason === undefined ? {} : { reason }),
        ...(message === undefined ? {} : { message: conditionMessage(message) }),
      }
    : {};
  return {
    ...old,
    type,
    status,
    ...(turns ? { lastTransitionTime: at, lastUpdateTime: at } : {}),
    ...(updatedAt === undefined ? {} : { lastUpdateTime: toTimestamp(updatedAt) }),
    ...statement,
    ...(generation === undefined ? {} : { observedGeneration: generation }),
  };
}
