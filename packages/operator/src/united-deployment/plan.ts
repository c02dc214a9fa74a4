import { annotations } from '@atoll/api';
import type { Instant } from '@atoll/kube';
import type { Hold } from '../engine/hold.ts';
import { nothingToDo, type Plan } from '../engine/plan.ts';
import { isAtWanted } from '../engine/rollout/target.ts';
import type { ChildToDelete } from '../places/children/children-to-delete.ts';
import { planPlaces } from '../places/plan-places.ts';
import { stuckPodStep } from '../places/children/stuck-pod-step.ts';
import { totalSteps } from './allocation/total-step.ts';
import { subsetPlaces } from './subsets/child.ts';
import type { UnitedDeploymentDecision } from './decision.ts';
import { leftWebhooks } from './kruise/report-conflict.ts';
import type { UnitedDeploymentSnapshot } from './observe.ts';
import { subsetSteps } from './subsets/subset-steps.ts';
import { labelSteps } from './scheduling/pod-steps.ts';
import { revisionData } from './template.ts';

/** History and children without an owner become ours before new ones are made; each subset is for itself. */
export function plan(
  snapshot: UnitedDeploymentSnapshot,
  { conflict, holds: all, inspect, decided }: UnitedDeploymentDecision,
  now: Instant,
): Plan {
  const { owner, history } = snapshot;
  if (conflict !== undefined) {
    return {
      ...nothingToDo,
      holds: all,
      ...(conflict.until === undefined ? {} : { requeueAt: conflict.until }),
    };
  }
  const holds = [...all.filter((hold) => !isWaiting(hold)), ...leftWebhooks(snapshot.kruise)];
  if (decided === undefined) return { ...nothingToDo, holds };
  const children = subsetSteps(snapshot, decided, now);
  return planPlaces(
    owner,
    subsetPlaces,
    {
      decided: children.unfinished ? { ...decided, toDelete: decided.toDelete.filter(isReplaced) } : decided,
      holds,
      inspect,
      unowned: snapshot.unowned,
      steps: children,
      revisions: {
        decision: decided.desired.revision,
        history,
        orphaned: snapshot.orphanedHistory,
        data: revisionData,
      },
      stuckPods: decided.places
        .filter(({ target }) => isAtWanted(target))
        .map((subset) => stuckPodStep(subsetPlaces, subset, subset.pods, now)),
      also: {
        beforeCreates: [
          { name: 'label pods', steps: decided.places.flatMap(labelSteps), slowStart: true },
          { name: 'try what grows', steps: children.trials, slowStart: true },
        ],
        afterApplies: { name: 'apply dependent children', steps: children.later, slowStart: true },
        last: [{ name: 'fill in the total', steps: totalSteps(owner) }],
      },
      controlAnnotations: [annotations.subsetRemoval, annotations.applyTemplate],
      requeueAt: [decided.requeueAt, children.unfinished ? now : undefined],
    },
    now,
  );
}

/** That of a removed subset is not: it stays until the last plan of a scale, in which all others have what they are to have. */
function isReplaced({ because }: ChildToDelete): boolean {
  return !('left' in because);
}

/** Children that only have not got there yet are no decision of ours; conditions show them, and no event for each rollout. */
function isWaiting({ reason, bad }: Hold): boolean {
  return reason === 'WaitingForReady' && !bad;
}
