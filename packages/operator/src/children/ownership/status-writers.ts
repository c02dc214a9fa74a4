import { conditionTypes, fieldManagers, type ReasonWord } from '@atoll/api';
import { conditionOf, instantOf, type Instant, type KubeObject, type Stored } from '@atoll/kube';
import type { FoundCondition } from '../../engine/status/conditions.ts';

/*
 * How an object shows that an old operator still serves it: a manager has other duties too, or cannot be seen, but who serves an object writes its status.
 */

/** An object of a kind that an old operator may serve. */
type Served = Stored<KubeObject> & {
  readonly status?: { readonly conditions?: readonly FoundCondition[] };
};

/** A write of the status by an old operator that is older than this is no sign that it is still at work. */
export const quietMs = 600_000;

/** Whether a write is recent enough to be a sign. A time that lies so far ahead is of a clock that was set back. */
export function isRecent(wroteAt: Instant, now: Instant): boolean {
  return Math.abs(now - wroteAt) < quietMs;
}

export interface StatusWriter {
  /** Its field manager. */
  readonly by: string;
  readonly at: Instant;
}

/** The last write of the status by one of these field managers; undefined: there is none. */
export function lastStatusWrite(
  { metadata: { managedFields = [] } }: Stored<KubeObject>,
  managers: readonly string[],
): StatusWriter | undefined {
  let last: StatusWriter | undefined;
  for (const { manager: by = '', subresource, time } of managedFields) {
    const at = instantOf(time);
    if (subresource !== 'status' || !managers.includes(by) || at === undefined) continue;
    if (last === undefined || at > last.at) last = { by, at };
  }
  return last;
}

/**
 * Whether the status was written after we wrote it. Times are whole seconds, and an old operator may answer our write within one: in the same second it wrote
 * last where our conditions have lost their generation, which it does not know.
 */
export function isWrittenOverUs(object: Served, wroteAt: Instant): boolean {
  const own = conditionOf(object, conditionTypes.progressing);
  const ownAt = lastStatusWrite(object, [fieldManagers.atoll])?.at;
  // Our conditions are there and none of the fields is ours any more.
  if (ownAt === undefined) return own !== undefined;
  return wroteAt > ownAt || (wroteAt === ownAt && own !== undefined && own.observedGeneration === undefined);
}

/** Our own condition is newer than the other controller's last write; that alone does not end the conflict. */
export function isHeldAs(reason: ReasonWord, { status }: Served): boolean {
  return status?.conditions?.some((each) => each.reason === reason) === true;
}

/** Whether a workload runs or is to run. Whether it is healthy this minute is no matter: it will be. */
export function isScaledUp({
  spec,
  status,
}: {
  readonly spec?: { readonly replicas?: number };
  readonly status?: { readonly replicas?: number };
}): boolean {
  return (spec?.replicas ?? 1) > 0 || (status?.replicas ?? 0) > 0;
}
