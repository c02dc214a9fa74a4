import { annotations } from '@atoll/api';
import type { Instant, KubeObject } from '@atoll/kube';
import { nothingToDo, type Plan } from '../engine/plan.ts';
import { seenInSpec } from '../engine/steps/seen.ts';
import { childSteps, type ChildRendering } from '../places/children/child-steps.ts';
import { planPlaces } from '../places/plan-places.ts';
import { stuckPodStep } from '../places/children/stuck-pod-step.ts';
import { poolPlaces, type ChildKind } from './child.ts';
import type { Decision, PoolDecision, PoolWorkloadDecision } from './decision.ts';
import { isTooLong } from './holds.ts';
import type { PoolWorkloadSnapshot } from './observe.ts';
import { comparePoolChild, newPoolChild } from './rendering/compare-pool-child.ts';
import type { Owner, RenderInput } from './rendering/render-child.ts';
import { revisionData, templateField } from './template.ts';

export function plan(
  snapshot: PoolWorkloadSnapshot,
  { conflict, holds, inspect, decided }: PoolWorkloadDecision,
  now: Instant,
): Plan {
  if (conflict?.until !== undefined) return { ...nothingToDo, holds, requeueAt: conflict.until };
  if (decided === undefined) return { ...nothingToDo, holds };
  const { owner, unowned, history, orphanedHistory, pods } = snapshot;
  const writable = decided.places.filter(isWritable);
  const steps = childSteps(owner, poolPlaces, writable, renderingOf(owner, decided, history), now);
  // Only where the child is as it should be: otherwise the same pod would be made again.
  const stuckPods = steps.unchanged.map((pool) =>
    stuckPodStep(poolPlaces, pool, pods[pool.child?.object.metadata.uid ?? ''] ?? [], now),
  );
  const revisions = {
    decision: decided.desired.revision,
    history,
    orphaned: orphanedHistory,
    data: revisionData,
  };
  return planPlaces(
    owner,
    poolPlaces,
    {
      decided,
      holds,
      inspect,
      unowned,
      steps,
      revisions,
      stuckPods,
      controlAnnotations: [annotations.applyTemplate, annotations.discardOverrides],
    },
    now,
  );
}

function isWritable({ place, child, overridden }: PoolDecision): boolean {
  return child === undefined ? !place.terminating && !isTooLong(place.name) : !overridden;
}

function renderingOf(
  owner: Owner,
  { desired, pendingDeletion }: Decision,
  history: RenderInput['history'],
): ChildRendering<ChildKind, PoolDecision> {
  const { replicas, knownToOldOperator } = desired;
  const input = (
    { place: pool }: PoolDecision,
    revision: RenderInput['revision'],
    name: string,
  ): RenderInput => ({ owner, pool, name, revision, replicas, knownToOldOperator, history });
  // Where they are not ours, a child of another kind takes over as many as the one before it was scaled to.
  const predecessorOf = ({ place: pool }: PoolDecision) =>
    replicas === undefined ? pendingDeletion.find(({ place }) => place === pool.name) : undefined;
  return {
    create: (decision, revision, name, now) => {
      const asked = replicas ?? predecessorOf(decision)?.object.spec?.replicas;
      return newPoolChild({ ...input(decision, revision, name), replicas: asked }, now);
    },
    templateField: (_, kind) => templateField(kind),
    // Nobody else would tell the new child when the one before it is scaled while it is made.
    madeFrom: (decision) => {
      const predecessor = predecessorOf(decision);
      if (predecessor === undefined) return [];
      return [seenInSpec<KubeObject>(poolPlaces.resourceOf(predecessor.kind), predecessor.object)];
    },
    compare: (decision, revision, live, now) =>
      comparePoolChild(input(decision, revision, live.metadata.name), live, now),
    replicas: () => replicas,
    whyCreate: ({ place }, kind) => `pool ${place.name} is selected and has no ${kind}`,
    follows: 'its pool or its number of replicas',
  };
}
