import {
  conditionTypes,
  type PoolSummary,
  type PoolWorkload,
  type PoolWorkloadStatus,
  type WorkloadSummary,
} from '@atoll/api';
import type { Instant } from '@atoll/kube';
import { isTerminating } from '../children/child.ts';
import type { StatusWrite } from '../engine/controller.ts';
import type { FailedStep } from '../engine/problems/failures.ts';
import type { Hold } from '../engine/hold.ts';
import type { Statement } from '../engine/status/conditions.ts';
import { oldFailureStatement, oldStatement } from '../engine/status/old-conditions.ts';
import type { Outcome } from '../engine/step.ts';
import { noteOfOldDefaults } from '../places/old-defaults-hold.ts';
import { reportPlaces } from '../places/report-places.ts';
import type { Done } from '../places/children/standing.ts';
import { poolPlaces } from './child.ts';
import {
  bearsTemplate,
  isComplete,
  isUpdated,
  runsOldRendering,
  type Decision,
  type PoolDecision,
  type PoolWorkloadDecision,
} from './decision.ts';
import { noPoolsSelected } from './holds.ts';
import type { PoolWorkloadSnapshot } from './observe.ts';
import { revisionAt } from '../engine/rollout/target.ts';
import { reportConflict } from './take-over/conflicting-controller.ts';

const { workLoadProvisioned, workLoadUpdated, workLoadFailure } = conditionTypes;
const ownTypes = [workLoadProvisioned, workLoadUpdated, workLoadFailure];

/**
 * The status as the snapshot after the writes shows it, in a stable order. What could not be looked at keeps what was
 * last known of it.
 */
export function report(
  { owner, certain }: PoolWorkloadSnapshot,
  { conflict, holds, decided }: PoolWorkloadDecision,
  outcome: Outcome,
  now: Instant,
): readonly StatusWrite[] {
  if (isTerminating(owner.object)) return [];
  if (conflict !== undefined) return reportConflict(owner, conflict, now);
  const status: PoolWorkloadStatus = {
    ...owner.object.status,
    ...(decided === undefined ? {} : content(owner.object, decided)),
  };
  const statements = (failures: readonly FailedStep[]): readonly Statement[] => {
    if (decided !== undefined) return oldStatements(decided, failures, holds);
    return certain ? [oldFailureStatement(workLoadFailure, failures, holds)] : [];
  };
  const done = () => doneWith(decided);
  const reported = { owner, certain, holds, decided, status, statements, ownTypes, isComplete, done };
  return [reportPlaces(poolPlaces, reported, outcome, now)];
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

function workloadSummary({ child, health }: PoolDecision): readonly WorkloadSummary[] {
  if (child === undefined || health === undefined) return [];
  const { availableCondition, replicas, readyReplicas } = health;
  return [{ availableCondition, replicas, readyReplicas, workloadName: child.object.metadata.name }];
}

function poolSummary({ place: pool, child, health, target, kept }: PoolDecision): PoolSummary {
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
  failures: readonly FailedStep[],
  holds: readonly Hold[],
): readonly Statement[] {
  const isUpdate = ({ step }: FailedStep): boolean =>
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

function doneWith(decided: Decision | undefined): Done {
  const pools = decided?.places ?? [];
  if (decided === undefined || pools.length === 0) {
    return { reason: 'NoPoolsSelected', message: `nothing is to run: ${noPoolsSelected}` };
  }
  const old = pools.filter(runsOldRendering).length;
  const kept = old === 0 ? '' : `; in ${old} of them pods stay as the old operator rendered them`;
  const defaults = noteOfOldDefaults(decided.desired.revision);
  const all =
    pools.length === 1
      ? 'the one selected pool runs the current template'
      : `all ${pools.length} pools run the current template`;
  return { reason: 'RolloutComplete', message: `${all} and every pod is available${kept}${defaults}` };
}
