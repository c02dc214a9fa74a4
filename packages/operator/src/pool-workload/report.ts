import { conditionTypes, type PoolWorkload, type PoolWorkloadStatus } from '@atoll/api';
import type { Instant } from '@atoll/kube';
import {
  mergeConditions,
  overallStatements,
  overallTypes,
  type Statement,
} from '../engine/status/conditions.ts';
import type { StatusWrite } from '../engine/controller.ts';
import { failuresOf, type Failure } from '../engine/failures.ts';
import type { Hold } from '../engine/hold.ts';
import { oldFailureStatement, oldStatement } from '../engine/status/old-conditions.ts';
import type { Outcome } from '../engine/step.ts';
import { isTerminating } from '../children/child.ts';
import {
  bearsTemplate,
  isUpdated,
  type Decision,
  type PoolDecision,
  type PoolWorkloadDecision,
} from './decision.ts';
import type { PoolWorkloadSnapshot } from './observe.ts';
import { standingOf } from './standing.ts';
import { revisionAt } from '../engine/rollout/target.ts';

const { workLoadProvisioned, workLoadUpdated, workLoadFailure, stalled } = conditionTypes;
const ownConditions = [workLoadProvisioned, workLoadUpdated, workLoadFailure, ...overallTypes];

/**
 * The status as the snapshot after the writes shows it, in a stable order. What could not be looked at keeps what was
 * last known of it.
 */
export function report(
  snapshot: PoolWorkloadSnapshot,
  { holds, decided: decision }: PoolWorkloadDecision,
  outcome: Outcome,
  now: Instant,
): readonly StatusWrite[] {
  const { owner, certain } = snapshot;
  if (isTerminating(owner.object)) return [];
  const failures = failuresOf(outcome);
  const standing = standingOf(snapshot, decision, holds, outcome, now);
  const { generation } = owner.object.metadata;
  const statements = [
    ...(decision === undefined ? [] : oldStatements(decision, failures, holds)),
    ...(decision === undefined && certain ? [oldFailureStatement(workLoadFailure, failures, holds)] : []),
    ...overallStatements(standing, now),
  ];
  const kept = certain && decision !== undefined ? ownConditions : [stalled];
  const found = owner.object.status ?? {};
  const status: PoolWorkloadStatus = {
    ...found,
    ...(decision === undefined ? {} : content(owner.object, decision)),
    ...(certain && generation !== undefined ? { observedGeneration: generation } : {}),
    conditions: mergeConditions(found.conditions, statements, kept, generation, now),
  };
  return [{ resource: owner.resource, object: owner.object, status }];
}

function content(object: PoolWorkload, decision: Decision): PoolWorkloadStatus {
  const { desired } = decision;
  const { update } = desired.revision;
  const { currentRevision = '' } = object.status ?? {};
  const all =
    decision.places.every((place) => isUpdated(place) && place.target.wanted === update.label) &&
    decision.pendingDeletion.length === 0;
  return {
    collisionCount: desired.revision.collisionCount,
    currentRevision: all || currentRevision === '' ? update.name : currentRevision,
    updateRevision: update.name,
    templateType: update.template.kind,
    nodepools: desired.places.map((pool) => pool.name),
    workloadSummary: decision.places.flatMap(workloadSummary),
    pools: decision.places.map(poolSummary),
  };
}

function workloadSummary({
  child,
  health,
}: PoolDecision): NonNullable<PoolWorkloadStatus['workloadSummary']> {
  if (child === undefined || health === undefined) return [];
  const { availableCondition, replicas, readyReplicas } = health;
  return [{ availableCondition, replicas, readyReplicas, workloadName: child.object.metadata.name }];
}

function poolSummary({
  place: pool,
  child,
  health,
  target,
  kept,
}: PoolDecision): NonNullable<PoolWorkloadStatus['pools']>[number] {
  if (child === undefined || health === undefined) return { name: pool.name };
  const { replicas, readyReplicas, availableReplicas } = health;
  // Until its controller has seen the last spec, the child counts as updated what is not.
  const updatedReplicas = health.observed ? health.updatedReplicas : 0;
  const observedGeneration = child.object.status?.observedGeneration;
  const runs = revisionAt(target.at);
  return {
    name: pool.name,
    workloadName: child.object.metadata.name,
    replicas,
    readyReplicas,
    updatedReplicas,
    availableReplicas,
    ...(observedGeneration === undefined ? {} : { observedGeneration }),
    ...(runs === undefined || kept !== undefined ? {} : { revision: runs }),
  };
}

/**
 * The old operator's conditions under their names, with its reasons (none, or `Error`): all children are there, all
 * carry the template, something fails. Unlike there, failure shows.
 */
function oldStatements(
  decision: Decision,
  failures: readonly Failure[],
  holds: readonly Hold[],
): readonly Statement[] {
  const isUpdate = ({ step }: Failure): boolean =>
    step.do === 'apply' || step.do === 'patch' || step.why.word === 'PodStuck';
  const updating = failures.filter(isUpdate);
  const provisioning = failures.filter((failure) => !isUpdate(failure));
  const provisioned = decision.places.every(({ child }) => child !== undefined);
  const updated = decision.places.every(bearsTemplate);
  return [
    oldStatement(workLoadProvisioned, provisioned && decision.toDelete.length === 0, provisioning),
    oldStatement(workLoadUpdated, updated, updating),
    oldFailureStatement(workLoadFailure, failures, holds),
  ];
}
