import { isIntOrPercent, scaleIntOrPercent } from '@atoll/kube';
import { failureTypes } from '../causes/refused-pods.ts';
import type { ChildCondition, ChildWorkload, OwnedChild } from './child.ts';

/** How far a child has come with the spec that was last written to it. */
export interface ChildHealth {
  readonly replicas: number;
  readonly readyReplicas: number;
  readonly updatedReplicas: number;
  readonly availableReplicas: number;
  /** Its controller has seen the last spec; older counts do not describe it. */
  readonly observed: boolean;
  readonly updated: boolean;
  readonly available: boolean;
  /** The old operator's `availableCondition`. */
  readonly availableCondition: string;
  /** What its controller reports as wrong, as opposed to not done yet. */
  readonly stuck?: string;
  /** Nothing else is wrong than that its pods were awaited for too long. */
  readonly overdue: boolean;
}

export function healthOf({ kind, object }: OwnedChild): ChildHealth {
  const { status = {} } = object;
  const {
    replicas = 0,
    readyReplicas = 0,
    updatedReplicas = 0,
    availableReplicas = 0,
    conditions = [],
  } = status;
  const wanted = object.spec?.replicas ?? 1;
  const observed = (status.observedGeneration ?? 0) >= (object.metadata.generation ?? 0);
  const partition = kind === 'Deployment' ? 0 : partitionOf(object, wanted);
  const toUpdate = Math.max(0, wanted - partition);
  // These two make new pods before old ones go: as many may be updated as are wanted, and old ones are left.
  const oldPodsLeft =
    (kind === 'Deployment' || kind === 'CloneSet') && replicas - updatedReplicas > partition;
  const available = observed && availableReplicas >= wanted;
  const failure = failureIn(conditions);
  const overdue = overdueIn(conditions);
  const stuck = failure ?? overdue;
  return {
    replicas,
    readyReplicas,
    updatedReplicas,
    availableReplicas,
    observed,
    updated: observed && updatedReplicas >= toUpdate && !oldPodsLeft,
    available,
    availableCondition: availableCondition(conditions, kind === 'Deployment' ? undefined : available),
    ...(stuck === undefined ? {} : { stuck }),
    overdue: failure === undefined && overdue !== undefined,
  };
}

/** How many pods stay at the old revision; a CloneSet may give it in percent, of which a started one counts. */
export function partitionOf({ spec }: ChildWorkload, wanted: number): number {
  const { partition, rollingUpdate } = spec?.updateStrategy ?? {};
  const value = rollingUpdate?.partition ?? partition ?? 0;
  return isIntOrPercent(value) ? scaleIntOrPercent(value, wanted, 'up') : 0;
}

function availableCondition(conditions: readonly ChildCondition[], counted: boolean | undefined): string {
  if (counted !== undefined) return counted ? 'True' : 'False';
  return conditions.find((each) => each.type === 'Available')?.status ?? 'Unknown';
}

/** Only what its controller itself calls a failure; a StatefulSet has no such conditions. */
function failureIn(conditions: readonly ChildCondition[]): string | undefined {
  const failure = conditions.find((each) => failureTypes.includes(each.type) && each.status === 'True');
  return failure === undefined ? undefined : (failure.message ?? 'its pods are refused');
}

function overdueIn(conditions: readonly ChildCondition[]): string | undefined {
  const late = conditions.find(
    (each) => each.type === 'Progressing' && each.reason === 'ProgressDeadlineExceeded',
  );
  return late === undefined ? undefined : (late.message ?? 'its progress deadline is exceeded');
}
