import { annotations, defaultRevisionHistoryLimit } from '@atoll/api';
import { controllerOf, type Instant } from '@atoll/kube';
import type { Revision } from '../children/revisions/revision.ts';
import { revisionSteps, runsAfter } from '../children/revisions/revision-steps.ts';
import { conditionSince, degradedDue } from '../engine/status/conditions.ts';
import { earliest, earliestAfter } from '../engine/earliest.ts';
import type { Hold } from '../engine/hold.ts';
import { guardOf, nothingToDo, type Plan, type Stage } from '../engine/plan.ts';
import { childSteps } from './child-steps.ts';
import type { UnitedDeploymentDecision } from './decision.ts';
import { deleteStep } from '../places/children-to-delete.ts';
import { subsetPlaces } from './child.ts';
import { leftWebhooks } from './kruise/stand-aside.ts';
import { adoptHistorySteps } from './adoption/orphaned-history.ts';
import { labelSteps } from './scheduling/pod-steps.ts';
import { stuckSubsetPodStep } from './scheduling/stuck-pod-step.ts';
import { totalSteps } from './allocation/total-step.ts';
import type { UnitedDeploymentSnapshot } from './observe.ts';
import { revisionData } from './template.ts';

/**
 * History that comes back to us and the revision first, because children name it; then children that come back, that are
 * missing, that differ, that are too many, and history that is too long. Each subset is for itself: what fails in one
 * stops nothing in another.
 */
export function plan(
  snapshot: UnitedDeploymentSnapshot,
  { rival, holds: all, inspect, decided: decision }: UnitedDeploymentDecision,
  now: Instant,
): Plan {
  const { owner, history } = snapshot;
  if (rival !== undefined) {
    return { ...nothingToDo, holds: all, ...(rival.until === undefined ? {} : { lookAgainAt: rival.until }) };
  }
  const holds = [...all.filter((hold) => !isWaiting(hold)), ...leftWebhooks(snapshot.kruise)];
  if (decision === undefined) return { ...nothingToDo, holds };
  const { desired } = decision;
  const limit = owner.object.spec.revisionHistoryLimit ?? defaultRevisionHistoryLimit;
  const { orphanedHistory } = snapshot;
  const { uid } = owner.object.metadata;
  const isOurs = ({ stored }: Revision): boolean => stored === undefined || controllerOf(stored)?.uid === uid;
  const owned = history.filter(isOurs);
  const revision = revisionSteps(owner, desired.revision, owned, decision.needed, revisionData, limit);
  // One that comes back is numbered when it is ours.
  const write = isOurs(desired.revision.update) ? revision.write : [];
  const runs = runsAfter(write);
  const children = childSteps(snapshot, decision, now);
  const stuck = decision.places.map((subset) => stuckSubsetPodStep(subset, now));
  const stages: readonly Stage[] = [
    { name: 'adopt history', steps: adoptHistorySteps(owner, orphanedHistory), runs: 'always' },
    { name: 'write revision', steps: write, runs: 'always' },
    { name: 'label pods', steps: decision.places.flatMap(labelSteps), runs: 'always', slowStart: true },
    { name: 'adopt children', steps: children.adoptions, runs: 'always' },
    { name: 'create children', steps: children.creates, runs, slowStart: true },
    { name: 'change owners of fields', steps: children.owners, runs: 'always', slowStart: true },
    { name: 'apply children', steps: children.applies, runs, slowStart: true },
    { name: 'apply dependent children', steps: children.later, runs, slowStart: true },
    { name: 'delete stuck pods', steps: stuck.flatMap(({ step }) => step ?? []), runs: 'always' },
    {
      name: 'delete children',
      steps: decision.toDelete.map((each) => deleteStep(each, subsetPlaces)),
      runs: 'always',
    },
    { name: 'trim history', steps: revision.trim, runs: 'always' },
    { name: 'fill in the total', steps: totalSteps(owner), runs: 'always' },
  ];
  const failingSince = conditionSince(owner.object.status?.conditions, 'SubsetFailure', 'True');
  const due = earliest([
    failingSince === undefined ? undefined : degradedDue(failingSince, now),
    decision.lookAgainAt,
    children.unfinished ? now : undefined,
    ...stuck.map(({ lookAgainAt }) => lookAgainAt),
    earliestAfter(
      now,
      decision.places.map(({ lateAt }) => lateAt),
    ),
  ]);
  return {
    stages: stages.filter((stage) => stage.steps.length > 0),
    holds,
    inspect,
    targets: decision.places.map(({ target }) => target),
    guards: [guardOf(owner.resource, owner.object, [annotations.subsetRemoval])],
    ...(due === undefined ? {} : { lookAgainAt: due }),
  };
}

/** Children that only have not got there yet are no decision of ours; conditions tell of them, and no event for each rollout. */
function isWaiting({ reason, bad }: Hold): boolean {
  return reason === 'WaitingForReady' && !bad;
}
