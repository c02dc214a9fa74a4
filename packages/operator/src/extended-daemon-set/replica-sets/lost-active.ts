import {
  extendedDaemonSetConditions,
  replicaSetConditions,
  type ExtendedDaemonSet,
  type ExtendedDaemonSetReplicaSet,
} from '@atoll/api';
import { conditionOf, instantOf, type Instant, type Stored } from '@atoll/kube';
import { trueCondition } from './conditions.ts';

type ReplicaSet = Stored<ExtendedDaemonSetReplicaSet>;

/** The active replica set is gone, while a template was tried that has not become the active one. */
export interface LostActive {
  /** As the status names it. */
  readonly name: string;
  /** The canary takes its place then; undefined: it is gone too, so its template is tried again from the beginning. */
  readonly followedAt: Instant | undefined;
}

/** Reasons of the condition `Canary` of the replica set that is tried meanwhile: they show the next process what was lost. */
const lostReasons = { active: 'ActiveReplicaSetGone', all: 'ReplicaSetsGone' } as const;

/** Of the condition `Canary` where nothing is lost any more. */
const nothingLost = 'CanaryRunning';

const conditionsOfCanary: readonly string[] = [
  replicaSetConditions.canary,
  replicaSetConditions.canaryPaused,
  replicaSetConditions.canaryFailed,
];

/** So long a canary waits before it takes the place of the active one: what deletes all replica sets deletes them one after the other. */
const confirmedAfterMs = 10_000;

/**
 * Whether the active replica set was lost with the one that was tried, as when their definition is deleted and installed again: the template in the
 * spec has then proved nothing, and it is tried again. Where a person deletes the active one alone, the canary takes its place after a short time.
 * `upToDate`: the replica set of the template in the spec, if there is one. undefined: neither is so.
 */
export function lostActive(
  object: Pick<Stored<ExtendedDaemonSet>, 'status'>,
  live: readonly ReplicaSet[],
  upToDate: ReplicaSet | undefined,
  now: Instant,
): LostActive | undefined {
  const { status } = object;
  const name = status?.activeReplicaSet ?? '';
  const all: LostActive = { name, followedAt: undefined };
  if (live.some((each) => canaryReason(each) === lostReasons.all)) return all;
  const recorded = status?.canary?.replicaSet;
  if (recorded === undefined) return name !== '' && isFailedOneGone(object, live) ? all : undefined;
  const tried = live.find(({ metadata }) => metadata.name === recorded);
  // One that nobody has seen as canary was made again.
  if (tried === undefined || !wasSeen(tried)) return all;
  if (tried !== upToDate) return undefined;
  const seenAt =
    canaryReason(tried) === lostReasons.active
      ? instantOf(conditionOf(tried, replicaSetConditions.canary)?.lastUpdateTime)
      : undefined;
  // A time that lies ahead is of a clock that was.
  if (seenAt !== undefined && (seenAt > now || seenAt + confirmedAfterMs <= now)) return undefined;
  return { name, followedAt: (seenAt ?? now) + confirmedAfterMs };
}

/** What the condition `Canary` of the replica set that is tried shows of it. */
export function lostStatement(
  replicaSet: ReplicaSet,
  lost: LostActive | undefined,
): { readonly reason?: string; readonly updatedAt?: Instant } {
  const found = canaryReason(replicaSet);
  if (lost === undefined) return found === undefined ? {} : { reason: nothingLost };
  const { followedAt } = lost;
  if (followedAt === undefined) return { reason: lostReasons.all };
  return { reason: lostReasons.active, updatedAt: followedAt - confirmedAfterMs };
}

function canaryReason(replicaSet: ReplicaSet): string | undefined {
  return conditionOf(replicaSet, replicaSetConditions.canary)?.reason;
}

function wasSeen(replicaSet: ReplicaSet): boolean {
  return conditionsOfCanary.some((type) => conditionOf(replicaSet, type) !== undefined);
}

/** Whether the object shows a canary that has failed, and no replica set does. */
function isFailedOneGone(object: Pick<ExtendedDaemonSet, 'status'>, live: readonly ReplicaSet[]): boolean {
  const hasFailed = trueCondition(object, extendedDaemonSetConditions.canaryFailed) !== undefined;
  return (
    hasFailed && live.every((each) => trueCondition(each, replicaSetConditions.canaryFailed) === undefined)
  );
}
