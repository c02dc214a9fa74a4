import type { KubeObject, Resource, Stored } from '@atoll/kube';
import { patchAsSeen } from '../../engine/steps/patch-as-seen.ts';
import type { Outcome, Reason, Step } from '../../engine/step.ts';
import type { OwnerChange } from './field-owners.ts';

/** A child whose fields change hands. */
export interface ChangingHands {
  readonly resource: Resource<KubeObject>;
  readonly object: Stored<KubeObject>;
  readonly target: string;
  /** For people: `pool north`, `subset a`. */
  readonly place: string;
  readonly eventReason: string;
}

/** How the owners of a child's fields come to be others; the entries have only places, so the resourceVersion counts. */
export function ownerStep(child: ChangingHands, { does, operations }: OwnerChange): Step {
  const { resource, object, target, place, eventReason } = child;
  const named = `${resource.kind} ${object.metadata.name} of ${place}`;
  const why: Record<typeof does, Reason> = {
    'take-over': { word: 'ChildTakenOver', message: `${named} was made by an older operator` },
    'release-replicas': {
      word: 'ReplicasReleased',
      message: `the template has no replicas; those of ${named} stay`,
    },
    'claim-filled-in': {
      word: 'ChildUpdated',
      message: `what the API server filled in goes from ${named} with the next write, because the template has no place for it any more`,
    },
  };
  const patch = { type: 'json', body: operations } as const;
  return {
    ...patchAsSeen(resource, object, patch),
    target,
    eventReason,
    why: why[does],
    isPreliminary: true,
  };
}

/**
 * The places whose child has just become ours: only the next reconcile compares it with the template, so until then it must not
 * be reported as wanted.
 */
export function takenOver({ results }: Outcome): ReadonlySet<string> {
  const places = new Set<string>();
  for (const { step, did } of results) {
    if (did !== 'done' || step.do !== 'patch' || step.why.word !== 'ChildTakenOver') continue;
    if (step.target !== undefined) places.add(step.target);
  }
  return places;
}
