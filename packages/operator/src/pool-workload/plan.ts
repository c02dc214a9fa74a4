import { defaultRevisionHistoryLimit } from '@atoll/api';
import type { Instant } from '@atoll/kube';
import { conditionSince, degradedDue } from '../engine/status/conditions.ts';
import { earliest, earliestAfter } from '../engine/earliest.ts';
import { guardOf, nothingToDo, type Plan, type Stage } from '../engine/plan.ts';
import type { Reason, Step } from '../engine/step.ts';
import type { RenderedChild } from '../children/child.ts';
import type { Difference } from '../children/compare-child.ts';
import { ownersAfterApply, ownersBeforeApply } from '../children/field-owners.ts';
import { ownerStep } from '../children/owner-step.ts';
import { revisionSteps, runsAfter } from '../children/revisions/revision-steps.ts';
import { comparePoolChild, newPoolChild } from './rendering/compare-pool-child.ts';
import { deleteStep } from '../places/children-to-delete.ts';
import { poolPlaces } from './child.ts';
import type { Decision, PoolDecision, PoolWorkloadDecision } from './decision.ts';
import { isTooLong } from './holds.ts';
import { knownToOldOperator } from './take-over/known-to-old-operator.ts';
import type { PoolWorkloadSnapshot } from './observe.ts';
import type { RenderInput } from './rendering/render-child.ts';
import { stuckPoolPodStep } from './stuck-pod-step.ts';
import { revisionData } from './template.ts';
import { revisionAt } from '../engine/rollout/target.ts';

const { eventReason, placeLabel, resourceOf } = poolPlaces;

/**
 * The revision first, because children name it; then children that are missing, children that differ, children that
 * are too many, history that is too long. Each pool is for itself: what fails in one stops nothing in another.
 */
export function plan(
  snapshot: PoolWorkloadSnapshot,
  { holds, inspect, decided: decision }: PoolWorkloadDecision,
  now: Instant,
): Plan {
  if (decision === undefined) return { ...nothingToDo, holds };
  const { owner, history } = snapshot;
  const { desired } = decision;
  const limit = owner.object.spec.revisionHistoryLimit ?? defaultRevisionHistoryLimit;
  const revision = revisionSteps(owner, desired.revision, history, decision.needed, revisionData, limit);
  const runs = runsAfter(revision.write);
  const children = childSteps(snapshot, decision, now);
  const stages: readonly Stage[] = [
    { name: 'write revision', steps: revision.write, runs: 'always' },
    { name: 'create children', steps: children.creates, runs, slowStart: true },
    { name: 'change owners of fields', steps: children.owners, runs: 'always', slowStart: true },
    { name: 'apply children', steps: children.applies, runs, slowStart: true },
    { name: 'delete stuck pods', steps: children.stuck, runs: 'always' },
    {
      name: 'delete children',
      steps: decision.toDelete.map((each) => deleteStep(each, poolPlaces)),
      runs: 'always',
    },
    { name: 'trim history', steps: revision.trim, runs: 'always' },
  ];
  const failingSince = conditionSince(owner.object.status?.conditions, 'WorkLoadFailure', 'True');
  const degraded = failingSince === undefined ? undefined : degradedDue(failingSince, now);
  const late = earliestAfter(
    now,
    decision.places.map(({ lateAt }) => lateAt),
  );
  const due = earliest([degraded, late, children.lookAgainAt, decision.rolloutGoesOnAt]);
  return {
    stages: stages.filter((stage) => stage.steps.length > 0),
    holds,
    inspect,
    targets: decision.places.map(({ target }) => target),
    guards: [guardOf(owner.resource, owner.object)],
    ...(due === undefined ? {} : { lookAgainAt: due }),
  };
}

function childSteps(
  snapshot: PoolWorkloadSnapshot,
  decision: Decision,
  now: Instant,
): {
  readonly creates: readonly Step[];
  readonly owners: readonly Step[];
  readonly applies: readonly Step[];
  readonly stuck: readonly Step[];
  readonly lookAgainAt: Instant | undefined;
} {
  const creates: Step[] = [];
  const owners: Step[] = [];
  const applies: Step[] = [];
  const stuck: Step[] = [];
  let lookAgainAt: Instant | undefined;
  const { owner } = snapshot;
  const { desired } = decision;
  const { replicas } = desired;
  const known = knownToOldOperator(desired.revision, replicas, snapshot.history);
  for (const each of decision.places) {
    const { place: pool, child, revision, nameConflict } = each;
    if (revision === undefined) continue;
    const unwanted = nameConflict !== undefined || pool.terminating || isTooLong(pool.name);
    if (child === undefined && unwanted) continue;
    const name = child?.object.metadata.name ?? pool.childName;
    const input: RenderInput = { owner, pool, name, revision, replicas, knownToOldOperator: known };
    const resource = resourceOf(revision.template.kind);
    if (child === undefined) {
      const why: Reason = {
        word: 'ChildCreated',
        message: `pool ${pool.name} is selected and has no ${revision.template.kind}`,
      };
      const identity = [placeLabel];
      // Where they are not ours, a child of another kind takes over as many as its predecessor was scaled to.
      const scaledTo = () =>
        decision.pendingDeletion.find((before) => before.place === pool.name)?.object.spec?.replicas;
      const object = newPoolChild({ ...input, replicas: replicas ?? scaledTo() }, now);
      creates.push({ do: 'create', resource, object, managed: 'apply', identity, target: pool.name, why });
      continue;
    }
    if (each.overridden) continue;
    // Whoever owns what is decided first and by itself; the child is written when that is seen to be so.
    const before = ownersBeforeApply(child.object, replicas);
    const difference = before === undefined ? comparePoolChild(input, child.object, now) : undefined;
    const change =
      before ?? (difference === undefined ? ownersAfterApply(child.object, replicas) : undefined);
    if (change !== undefined) {
      const { object } = child;
      const hands = { resource, object, target: pool.name, place: `pool ${pool.name}`, eventReason };
      owners.push(ownerStep(hands, change));
    }
    if (difference === undefined) {
      if (change !== undefined) continue;
      // Only where the child says what it should: otherwise the same pod would be made again.
      const freed = stuckPoolPodStep(each, snapshot.pods[child.object.metadata.uid] ?? [], now);
      if (freed.step !== undefined) stuck.push(freed.step);
      lookAgainAt = earliest([lookAgainAt, freed.lookAgainAt]);
      continue;
    }
    const { object, kind } = difference;
    const why = reasonToApply(each, object, kind);
    const { uid, resourceVersion } = child.object.metadata;
    const target = pool.name;
    applies.push({ do: 'apply', resource, object, uid, resourceVersion, target, eventReason, why });
  }
  return { creates, owners, applies, stuck, lookAgainAt };
}

function reasonToApply(
  { place: pool, target, child, revision }: PoolDecision,
  object: RenderedChild,
  difference: Difference['kind'],
): Reason {
  const named = `${object.kind} ${child?.object.metadata.name ?? object.metadata.name} of pool ${pool.name}`;
  const runs = revisionAt(target.at);
  if (runs !== revision?.label) {
    return {
      word: 'ChildUpdated',
      message: `${named} goes from ${runs ?? 'no revision'} to ${revision?.label}`,
    };
  }
  return difference === 'drifted'
    ? { word: 'ChildDrifted', message: `${named} was changed by somebody else` }
    : { word: 'ChildUpdated', message: `${named} follows its pool or its number of replicas` };
}
