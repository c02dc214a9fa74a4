import {
  conditionTypes,
  kruiseConditionReasons,
  labels,
  type SubsetStatus,
  type UnitedDeploymentStatus,
} from '@atoll/api';
import { compileSelector, formatSelector, type Instant } from '@atoll/kube';
import { isTerminating } from '../children/child.ts';
import type { Revision } from '../children/revisions/revision.ts';
import type { StatusWrite } from '../engine/controller.ts';
import type { FailedStep } from '../engine/problems/failures.ts';
import type { Hold } from '../engine/hold.ts';
import { conditionMessage, type Statement } from '../engine/status/conditions.ts';
import { oldFailureStatement, oldStatement } from '../engine/status/old-conditions.ts';
import type { Outcome } from '../engine/step.ts';
import { noteOfOldDefaults } from '../places/old-defaults-hold.ts';
import { reportPlaces } from '../places/report-places.ts';
import { subsetPlaces, type Child } from './subsets/child.ts';
import type { ChildKind } from './subsets/child-kind.ts';
import {
  bearsTemplate,
  isFullyUpdated,
  isComplete,
  type Decision,
  type SubsetDecision,
  type UnitedDeploymentDecision,
} from './decision.ts';
import { doneMessage } from './done-message.ts';
import { undecidedNumbers } from './kruise/kept-numbers.ts';
import type { UnitedDeploymentSnapshot } from './observe.ts';
import { revisionAt } from '../engine/rollout/target.ts';

const {
  subsetProvisioned,
  subsetUpdated,
  subsetFailure,
  unitedDeploymentUpdated,
  subsetReplicasEffective,
  schedulable,
} = conditionTypes;
const ownTypes = [
  subsetProvisioned,
  subsetUpdated,
  subsetFailure,
  unitedDeploymentUpdated,
  subsetReplicasEffective,
];

/**
 * The status as the snapshot after the writes shows it, in a stable order. What could not be looked at keeps what was
 * last known of it.
 */
export function report(
  snapshot: UnitedDeploymentSnapshot,
  { holds, decided, conflict }: UnitedDeploymentDecision,
  outcome: Outcome,
  now: Instant,
): readonly StatusWrite[] {
  const { owner, certain } = snapshot;
  if (isTerminating(owner.object)) return [];
  const found = owner.object.status ?? {};
  const { reservedPods: _replaced, ...rest } = found;
  const content = decided === undefined ? found : contentOf(snapshot, decided);
  const status = decided === undefined ? found : { ...rest, ...content };
  const statements = (failures: readonly FailedStep[]): readonly Statement[] => {
    if (decided !== undefined) return kruiseStatements(decided, content, failures, holds);
    const numbers = conflict === undefined ? undecidedNumbers(owner.object) : undefined;
    return [
      ...(certain ? [oldFailureStatement(subsetFailure, failures, holds)] : []),
      ...(numbers === undefined ? [] : [numbers]),
    ];
  };
  const done = () => {
    const defaults = decided === undefined ? '' : noteOfOldDefaults(decided.desired.revision);
    return {
      reason: 'RolloutComplete',
      message: `${doneMessage(decided?.places ?? [])}${defaults}`,
    } as const;
  };
  const reported = { owner, certain, holds, decided, status, statements, ownTypes, isComplete, done };
  const write = reportPlaces(subsetPlaces, reported, outcome, now);
  const urgent =
    decided !== undefined &&
    (decided.places.some((each) => turned(found, each)) || !isReported(found, decided.allocation.effective));
  return [urgent ? { ...write, urgent } : write];
}

/** Whether the subset gains or loses room: allocation waits until it is in the status. */
function turned({ subsetStatuses }: UnitedDeploymentStatus, { place, condition }: SubsetDecision): boolean {
  const stored = subsetStatuses?.find(({ name }) => name === place.name)?.conditions;
  return stored?.find(({ type }) => type === schedulable)?.status !== condition?.status;
}

/**
 * Whether the status has the reason why the numbers of the subsets cannot be met, so that the event is not recorded again; true where they
 * can.
 */
export function isReported(
  { conditions }: UnitedDeploymentStatus,
  effective: Decision['allocation']['effective'],
): boolean {
  if (effective.ok) return true;
  const message = conditionMessage(effective.message);
  return (
    conditions?.some((each) => each.type === subsetReplicasEffective && each.message === message) === true
  );
}

/** Both shapes: what v1alpha1 has in maps, v1beta1 has in `subsetStatuses`. */
function contentOf({ owner, history }: UnitedDeploymentSnapshot, decision: Decision): UnitedDeploymentStatus {
  const { desired, places: subsets, pendingDeletion, toDelete } = decision;
  const { update } = desired.revision;
  const all =
    subsets.every((subset) => isFullyUpdated(subset) && subset.target.wanted === update.label) &&
    pendingDeletion.length + toDelete.length === 0;
  const children = [
    ...subsets.flatMap(({ child }) => (child === undefined ? [] : [child])),
    ...pendingDeletion,
    ...toDelete.map(({ child }) => child),
  ];
  const total = (count: 'replicas' | 'readyReplicas'): number =>
    children.reduce((sum, { object }) => sum + (object.status?.[count] ?? 0), 0);
  const reserving = decision.mode === 'reservation';
  const reservedPods = subsets.reduce((sum, subset) => sum + subset.reservedPods, 0);
  return {
    replicas: Math.max(0, total('replicas') - reservedPods),
    ...(reserving ? { reservedPods } : {}),
    readyReplicas: total('readyReplicas'),
    updatedReplicas: subsets.reduce((sum, { updatedPods }) => sum + updatedPods.updated, 0),
    updatedReadyReplicas: subsets.reduce((sum, { updatedPods }) => sum + updatedPods.updatedReady, 0),
    collisionCount: desired.revision.collisionCount,
    currentRevision: all
      ? update.name
      : owner.object.status?.currentRevision || firstRevision(history, children),
    updatedRevision: update.name,
    updateStatus: {
      updatedRevision: update.name,
      currentPartitions: Object.fromEntries(subsets.map(({ place, partition }) => [place.name, partition])),
    },
    subsetReplicas: Object.fromEntries(subsets.map(({ place, replicas }) => [place.name, replicas])),
    subsetStatuses: subsets.map(subsetStatus),
    labelSelector: labelSelectorOf(owner.object.spec.selector, reserving),
  };
}

/**
 * As long as nothing was current: the oldest revision that a child is made of, so that a first rollout is of that one from
 * the beginning, as with Kruise. Unlike there it is none while no child could be made, and a template that never ran
 * never becomes current.
 */
function firstRevision(history: readonly Revision<ChildKind>[], children: readonly Child[]): string {
  const carried = new Set(children.map(({ object }) => object.metadata.labels?.[labels.subsetRevision]));
  return history.find(({ label }) => carried.has(label))?.name ?? '';
}

function subsetStatus(decision: SubsetDecision): SubsetStatus {
  const { child, health, target, partition, updatedPods, condition, reservedPods, kept } = decision;
  const { name } = decision.place;
  const conditions = condition === undefined ? {} : { conditions: [condition] };
  if (child === undefined || health === undefined) {
    return { name, replicas: 0, readyReplicas: 0, partition, ...conditions };
  }
  const { replicas, readyReplicas, availableReplicas } = health;
  const { observedGeneration } = child.object.status ?? {};
  const runs = revisionAt(target.at);
  return {
    name,
    replicas,
    readyReplicas,
    updatedReplicas: updatedPods.updated,
    availableReplicas,
    partition,
    ...(reservedPods === 0 ? {} : { reservedPods }),
    workloadName: child.object.metadata.name,
    ...(runs === undefined || kept !== undefined ? {} : { revision: runs }),
    ...(observedGeneration === undefined ? {} : { observedGeneration }),
    ...conditions,
  };
}

/** What autoscalers list pods by: those that count. */
function labelSelectorOf(selector: Parameters<typeof compileSelector>[0], reserving: boolean): string {
  const text = formatSelector(compileSelector(selector));
  return reserving ? `${text},${labels.reservedPod}=false` : text;
}

/**
 * Kruise's conditions under their names, with its reasons (none, or `Error`): all children are there, all carry the
 * template, something fails, all pods are updated. Unlike there, failure shows.
 */
function kruiseStatements(
  decision: Decision,
  { currentRevision, updatedRevision }: UnitedDeploymentStatus,
  failures: readonly FailedStep[],
  holds: readonly Hold[],
): readonly Statement[] {
  const { places: subsets, toDelete, pendingDeletion, allocation, keptNumbers } = decision;
  const ofChildren = failures.filter(({ reason }) => reason !== 'PodRefused' && reason !== 'TotalRefused');
  const provisioning = ofChildren.filter(({ step }) => step.do === 'create' || step.do === 'delete');
  const updating = ofChildren.filter(({ step }) => step.do === 'apply' || step.do === 'patch');
  const provisioned = subsets.every(({ child }) => child !== undefined);
  const updated = subsets.every(bearsTemplate);
  const rolled = currentRevision === updatedRevision;
  return [
    oldStatement(
      subsetProvisioned,
      provisioned && toDelete.length + pendingDeletion.length === 0,
      provisioning,
    ),
    oldStatement(subsetUpdated, updated, updating),
    oldFailureStatement(subsetFailure, failures, holds),
    {
      type: unitedDeploymentUpdated,
      status: rolled ? 'True' : 'False',
      reason: rolled ? kruiseConditionReasons.revisionUpdated : kruiseConditionReasons.revisionUpdating,
      message: rolled ? '' : waitsForPods(currentRevision, updatedRevision),
    },
    allocation.effective.ok
      ? { type: subsetReplicasEffective, status: 'True', reason: 'SubsetReplicasMet', message: '' }
      : {
          type: subsetReplicasEffective,
          status: 'False',
          reason: keptNumbers === undefined ? 'SubsetReplicasIneffective' : 'SubsetReplicasKept',
          message: allocation.effective.message,
        },
  ];
}

function waitsForPods(current = '', updated = ''): string {
  return current === ''
    ? `nothing runs ${updated} yet`
    : `the current revision is ${current} until every pod runs ${updated}`;
}
