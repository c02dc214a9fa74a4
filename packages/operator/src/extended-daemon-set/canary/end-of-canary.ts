import {
  annotationsOfOneCanary,
  canaryFailurePolicies,
  extendedDaemonSetAnnotations as annotations,
  extendedDaemonSetConditions,
  replicaSetConditions,
  type ExtendedDaemonSet,
  type ExtendedDaemonSetReplicaSet,
} from '@atoll/api';
import { instantOf, storableConditions, type Stored } from '@atoll/kube';
import type { Strategy } from '../read-strategy.ts';
import { trueCondition } from '../replica-sets/conditions.ts';
import type { Roles } from '../roles.ts';
import { pauseByPerson } from './pause-by-person.ts';

/**
 * The replica set whose template goes back into the spec, because the canary has failed and both statuses show it: the failure must be there
 * to be read when the template is gone. undefined: it stays.
 */
export function revertOf(
  object: Stored<ExtendedDaemonSet>,
  { failed, canary, active }: Pick<Roles, 'failed' | 'canary' | 'active'>,
): Stored<ExtendedDaemonSetReplicaSet> | undefined {
  if (failed === undefined || canary === undefined || active === undefined) return undefined;
  if (holdsFailed(object)) return undefined;
  const isRecorded =
    trueCondition(canary.replicaSet, replicaSetConditions.canaryFailed) !== undefined &&
    trueCondition(object, extendedDaemonSetConditions.canaryFailed)?.message ===
      failedMessage(canary.replicaSet.metadata.name);
  return isRecorded ? active : undefined;
}

/**
 * Whether a template that had failed, and was put back, is in the spec again: its failure is to be kept from now on, or it would be tried again every
 * two minutes where GitOps writes it each time.
 */
export function isWrittenAgain(
  object: Stored<ExtendedDaemonSet>,
  { failed, canary }: Pick<Roles, 'failed' | 'canary'>,
): boolean {
  if (failed === undefined || canary === undefined) return false;
  const { name } = canary.replicaSet.metadata;
  const shown = trueCondition(object, extendedDaemonSetConditions.canaryFailed)?.message;
  return (
    trueCondition(canary.replicaSet, replicaSetConditions.canaryFailed) !== undefined &&
    object.status?.canary?.replicaSet !== name &&
    shown !== failedMessage(name)
  );
}

/** Whether {@link isWrittenAgain} was so before its failure was forgotten. */
export function wasWrittenAgain(replicaSet: Stored<ExtendedDaemonSetReplicaSet>): boolean {
  const { lastTransitionTime, lastUpdateTime } =
    trueCondition(replicaSet, replicaSetConditions.canaryFailed) ?? {};
  return (instantOf(lastUpdateTime) ?? 0) > (instantOf(lastTransitionTime) ?? 0);
}

/** As the old operator writes it. */
export function failedMessage(replicaSet: string): string {
  return `canary failed with ers: ${replicaSet}`;
}

/** A template that failed, and becomes the active one now, is no more one that has failed: where it is put back later, the condition would show it as such. */
export function withoutFailureOf(name: string, found: Conditions): Conditions {
  const type = extendedDaemonSetConditions.canaryFailed;
  const message = failedMessage(name);
  if (found === undefined) return undefined;
  return storableConditions(found).map((each) =>
    each.type === type && each.message === message
      ? { ...each, message: `${message}, and it was promoted later` }
      : each,
  );
}

type Conditions = NonNullable<ExtendedDaemonSet['status']>['conditions'];

function holdsFailed({ metadata }: Stored<ExtendedDaemonSet>): boolean {
  return metadata.annotations?.[annotations.onCanaryFailure] === canaryFailurePolicies.hold;
}

/**
 * The annotations that paused a canary, or let it go on, once it has ended: they are meant for that one alone, so a template that follows it
 * begins without them.
 */
export function annotationsToRemoveOf(
  object: Stored<ExtendedDaemonSet>,
  { canary: strategy }: Strategy,
  { upToDate, active, canary, failed }: Roles,
): readonly string[] {
  const found = annotationsOfOneCanary.filter((name) => object.metadata.annotations?.[name] !== undefined);
  // Where the strategy is dropped, the canary that is recorded ends. Its pause is shown until its annotation is off.
  if (strategy === undefined) {
    const isPauseShown = upToDate && trueCondition(upToDate, replicaSetConditions.canaryPaused) !== undefined;
    return object.status?.canary?.replicaSet !== undefined || isPauseShown ? found : [];
  }
  if (found.length === 0 || upToDate === undefined) return [];
  // One that takes the place of an active replica set that is gone is let go on by them until it is recorded.
  if (upToDate === active) return object.status?.activeReplicaSet === active.metadata.name ? found : [];
  // One that has failed has ended when the status shows it.
  if (failed !== undefined) return object.status?.canary?.replicaSet === undefined ? found : [];
  if (hasUnpausedOfBefore(object, upToDate)) return [annotations.canaryUnpaused];
  return canary?.annotationsOfBefore ?? [];
}

/**
 * Annotations that are meant for the canary that is recorded, where another one follows it. A pause is meant for the one whose replica set shows
 * it: one that nobody has seen yet came with the next template, or after it, and must not be lost.
 */
export function annotationsOfBefore(
  { metadata: { annotations: found = {} }, status }: Stored<ExtendedDaemonSet>,
  next: string,
  replicaSets: readonly Stored<ExtendedDaemonSetReplicaSet>[],
): readonly string[] {
  const recorded = status?.canary?.replicaSet;
  if (recorded === undefined || recorded === next) return [];
  const before = replicaSets.find(({ metadata }) => metadata.name === recorded);
  const shown = before && trueCondition(before, replicaSetConditions.canaryPaused);
  const message = shown?.message ?? '';
  // The old operator writes no message. Ours is another one as soon as the annotation is off.
  const wasSet = message === '' || pauseByPerson(message) === 'set';
  const wasPaused = shown?.reason === pausedReason(found) && wasSet;
  const ofBefore = wasPaused ? annotationsOfOneCanary : [annotations.canaryUnpaused];
  return ofBefore.filter((name) => found[name] !== undefined);
}

/** Of a pause by annotation. */
export function pausedReason(found: Readonly<Record<string, string>>): string {
  return found[annotations.canaryPausedReason] ?? 'Unknown';
}

/**
 * `canary-unpaused` of a canary that has ended: the next one begins when it is taken off, so that it can be paused. Where the next one is paused
 * already, a person saw that and means it.
 */
export function hasUnpausedOfBefore(
  { metadata, status }: Stored<ExtendedDaemonSet>,
  next: Stored<ExtendedDaemonSetReplicaSet>,
): boolean {
  const isRecorded = status?.canary !== undefined && status.canary !== null;
  if (isRecorded || metadata.annotations?.[annotations.canaryUnpaused] !== 'true') return false;
  return trueCondition(next, replicaSetConditions.canaryPaused) === undefined;
}
