import {
  extendedDaemonSets,
  extendedDaemonsetSettings,
  type ExtendedDaemonSet,
  type ExtendedDaemonSetStatus,
} from '@atoll/api';
import { controllerOf, type Instant, type PodTemplate, type Stored } from '@atoll/kube';
import { isTerminating } from '../children/child.ts';
import type { ChildOwner } from '../children/ownership/owner.ts';
import { failuresThatEndAStage } from '../engine/executor/request-waves.ts';
import type { Hold } from '../engine/hold.ts';
import { guardOf, nothingToDo, type Guard, type Plan, type Stage } from '../engine/plan.ts';
import { turnAt } from '../engine/rollout/deleted-in-turn.ts';
import type { Step } from '../engine/step.ts';
import { adoptPodTemplate, adoptReplicaSet } from './adoption/adoptable.ts';
import { wasWrittenAgain } from './canary/end-of-canary.ts';
import { controlAnnotations } from './control-annotations.ts';
import type { ExtendedDaemonSetDecision, FleetDecision } from './decide.ts';
import type { ExtendedDaemonSetSnapshot } from './observe.ts';
import type { NodeTarget } from './fleet/nodes/node-targets.ts';
import type { UnwantedPod } from './fleet/unwanted-pods.ts';
import type { Rolling } from './rolling/decide-rolling.ts';
import { batchSteps } from './steps/batch-steps.ts';
import { promoteCanary, removeAnnotations, revertTemplate } from './steps/object-steps.ts';
import { podTemplateStep } from './steps/pod-template-step.ts';
import { createPod, deleteEnded, deleteUnwanted, labelCanary, labelReplaced } from './steps/pod-steps.ts';
import type { KnownSettings } from './steps/rests-on-overrides.ts';
import { restOnReplicaSet } from './steps/rest-on-replica-set.ts';
import { createReplicaSet, deleteObsolete } from './steps/replica-set-steps.ts';

/** At most so many deletions of one sort in one plan. */
const burst = 250;

/** Makes the replica set of the template, and deletes and makes pods within the limits. */
export function plan(
  {
    owner,
    podTemplate,
    formerPodTemplate,
    replicaSets,
    formerPods,
    nodes,
    settings: own,
    settingsOfOthers,
    definitionOfSettings,
  }: ExtendedDaemonSetSnapshot,
  { fleet, holds, inspect, requeueAt }: ExtendedDaemonSetDecision,
  now: Instant,
): Plan {
  const settings = [...own, ...settingsOfOthers];
  const shown = holds.filter(({ reason }) => !progress.has(reason));
  if (fleet === undefined || owner === undefined)
    return { ...nothingToDo, holds: shown, ...(requeueAt === undefined ? {} : { requeueAt }) };
  const { object } = owner;
  const stages = promotionStages(object, fleet) ?? [
    ...changeStages(object, fleet),
    stage(
      'adopt replica sets',
      fleet.adopts.map((each) => adoptReplicaSet(owner, each)),
    ),
    podTemplateStage(owner, podTemplate, formerPodTemplate),
    ...fleetStages(object, fleet, { replicaSets, nodes, settings, definitionOfSettings }, now),
  ];
  return {
    stages: stages
      .filter(({ steps }) => steps.length > 0)
      .map((each) => ({ ...each, steps: restOnReplicaSet(each.steps, formerPods) })),
    holds: shown,
    targets: [fleet.active, fleet.canary].flatMap((each) => each?.targets.map(({ target }) => target) ?? []),
    inspect,
    remembers: remembersOf(fleet),
    guards: [guardOf(extendedDaemonSets, object, controlAnnotations, recordedRoles), ...settingGuards(fleet)],
    ...(requeueAt === undefined ? {} : { requeueAt }),
  };
}

/** What every rollout passes through; conditions show it, and no event each time. */
const progress: ReadonlySet<Hold['reason']> = new Set([
  'WaitingForReady',
  'MaxUnavailableReached',
  'BeingDeleted',
  'CreationLimitReached',
  'BatchInterval',
  'CanaryRunning',
]);

/** Names of all refusals that the plan goes by. */
function remembersOf({ active, canary, unwanted, roles }: FleetDecision): readonly string[] {
  const all = [active, canary, unwanted, roles.canary].flatMap((each) => each?.remembers ?? []);
  return [...new Set(all)];
}

/** Which replica set has the fleet, and which one is tried on which nodes. */
const recordedRoles: readonly (keyof ExtendedDaemonSetStatus)[] = ['activeReplicaSet', 'canary'];

/** The settings that pods are made with, or replaced because of: one that is changed or taken back meanwhile costs no pod (F8). */
function settingGuards({ active, canary }: FleetDecision): readonly Guard[] {
  const changed = [active, canary].flatMap((each) => [
    ...(each?.deleted ?? []),
    ...(each?.deletedAgain ?? []),
    ...madeBy(each),
  ]);
  const settings = new Set(changed.flatMap(({ overrides: { setting } }) => setting ?? []));
  return [...settings].map((setting) => guardOf(extendedDaemonsetSettings, setting));
}

/**
 * A promotion is alone in its plan: it ends the roles that all else would be planned for, and where it is refused, no status can be written
 * either. undefined: none is due.
 */
function promotionStages(
  object: Stored<ExtendedDaemonSet>,
  { roles: { promoted, canary }, held }: FleetDecision,
): readonly Stage[] | undefined {
  if (promoted === undefined || canary === undefined) return undefined;
  return [stage('promote the canary', [promoteCanary(object, canary, promoted, held)])];
}

/**
 * Changes of the object itself, before all else: one that is done changes its generation or a control annotation, so the guards leave what
 * follows to the next plan, as where nobody knows whether it is done. Where one is refused, the nodes are served as the roles are.
 */
function changeStages(
  object: Stored<ExtendedDaemonSet>,
  { revertsTo, annotationsToRemove, roles: { canary, active, upToDate } }: FleetDecision,
): readonly Stage[] {
  if (revertsTo !== undefined) {
    const again = canary !== undefined && wasWrittenAgain(canary.replicaSet);
    return [stage('revert the template', [revertTemplate(object, revertsTo, again)])];
  }
  const isNoneRunning = upToDate !== undefined && upToDate === active;
  const removal =
    annotationsToRemove.length === 0 ? [] : [removeAnnotations(object, annotationsToRemove, isNoneRunning)];
  return [stage('remove annotations of the canary', removal)];
}

function podTemplateStage(
  owner: ChildOwner<ExtendedDaemonSet>,
  found: Stored<PodTemplate> | undefined,
  former: Stored<PodTemplate> | undefined,
): Stage {
  if (former !== undefined) {
    // One that the object before still controls is deleted in a moment.
    const isOrphan = controllerOf(former) === undefined && !isTerminating(former);
    return stage('adopt the pod template', isOrphan ? [adoptPodTemplate(owner, former)] : []);
  }
  const step = podTemplateStep(owner.object, found);
  return stage('keep the pod template', step === undefined ? [] : [step]);
}

function fleetStages(
  object: Stored<ExtendedDaemonSet>,
  fleet: FleetDecision,
  { nodes, ...known }: Pick<ExtendedDaemonSetSnapshot, 'replicaSets' | 'nodes'> & KnownSettings,
  now: Instant,
): readonly Stage[] {
  const { active, canary, unwanted, labelled, obsolete, makesReplicaSet } = fleet;
  return [
    stage('create the replica set', makesReplicaSet ? [createReplicaSet(object, known.replicaSets)] : []),
    stage(
      'label pods of the DaemonSet',
      labelled.slice(0, burst).map((pod) => labelReplaced(object, pod)),
    ),
    ...unwantedStages(unwanted, nodes),
    stage('delete ended pods', [canary, active].flatMap(endedSteps)),
    stage('label canary pods', canaryLabels(fleet).slice(0, burst)),
    ...batchStages(object, fleet, known, now),
    ...creationStages(object, canary, true, now),
    ...creationStages(object, active, false, now),
    stage('delete obsolete replica sets', obsolete.map(deleteObsolete)),
  ];
}

/** Outdated pods go when the API server takes their successors. */
function batchStages(
  object: Stored<ExtendedDaemonSet>,
  { active, canary, strategy }: FleetDecision,
  known: Pick<ExtendedDaemonSetSnapshot, 'replicaSets'> & KnownSettings,
  now: Instant,
): readonly Stage[] {
  const forCanary = { isCanary: true, atMost: Infinity, isRecorded: false, ...known };
  const ofCanary = batchSteps(object, canary, forCanary, now);
  // Spacing of less than a second cannot be written in whole seconds.
  const isRecorded = strategy.reconcileEveryMs >= 1_000;
  const forActive = { isCanary: false, atMost: burst, isRecorded, ...known };
  const ofActive = batchSteps(object, active, forActive, now);
  return [
    stage('try pods', [...ofCanary.tries, ...ofActive.tries]),
    ...[ofCanary, ofActive].map(({ triesAlone: { steps, endsAfter } }) => {
      return { ...stage('try pods one by one', steps), slowStart: true, endsAfter };
    }),
    stage('delete outdated pods of canary nodes', ofCanary.deletions),
    stage('record the batch', ofActive.record),
    stage('delete outdated pods', ofActive.deletions),
    stage('record the batch that was refused before', ofActive.recordAfter),
  ];
}

function unwantedStages(
  { deleted, deletedAgain }: FleetDecision['unwanted'],
  nodes: ExtendedDaemonSetSnapshot['nodes'],
): readonly Stage[] {
  const ended = deleted.slice(0, burst);
  const names = new Set([...ended, ...deletedAgain].map(({ node }) => node));
  const found = nodes.filter(({ metadata }) => names.has(metadata.name));
  const seen = new Map(found.map((node) => [node.metadata.name, node]));
  const end = (each: UnwantedPod, isRetry: boolean): Step =>
    deleteUnwanted(each, seen.get(each.node), isRetry);
  return [
    stage(
      'delete unwanted pods',
      ended.map((each) => end(each, false)),
    ),
    stage(
      'delete unwanted pods again',
      deletedAgain.map((each) => end(each, true)),
    ),
  ];
}

/** Pods that have ended make room for the ones that are made in the same plan. */
function endedSteps(rolling: Rolling | undefined): readonly Step[] {
  return [
    ...(rolling?.created.flatMap((node) => deleteEnded(node, false)) ?? []),
    ...(rolling?.createdAgain.flatMap((node) => deleteEnded(node, true)) ?? []),
  ];
}

function canaryLabels({ active, canary }: FleetDecision): readonly Step[] {
  return [
    ...(canary?.targets.flatMap((each) => labelCanary(each, true)) ?? []),
    ...(active?.targets.flatMap((each) => labelCanary(each, false)) ?? []),
  ];
}

/**
 * What was refused before has a stage of its own, because many that are refused end theirs. Where there are so many, another one that is refused ends
 * that of the others, too, until they are tried again: it may be a quota, which refuses all.
 */
function creationStages(
  object: Stored<ExtendedDaemonSet>,
  rolling: Rolling | undefined,
  isCanary: boolean,
  now: Instant,
): readonly Stage[] {
  if (rolling === undefined) return [];
  const { replicaSet, created, createdAgain } = rolling;
  const [name, again] = isCanary
    ? (['create canary pods', 'create canary pods again'] as const)
    : (['create pods', 'create pods again'] as const);
  const of = (nodes: readonly NodeTarget[]): readonly Step[] =>
    nodes.map((each) => createPod(object, each, replicaSet, isCanary, turnAt(now)));
  const isMany = createdAgain.length >= failuresThatEndAStage;
  return [
    { ...stage(name, of(created)), slowStart: true, ...(isMany ? { pace: { endsAfter: 1 } } : {}) },
    { ...stage(again, of(createdAgain)), slowStart: true },
  ];
}

/** Nodes for which a pod is made. */
function madeBy(rolling: Rolling | undefined): readonly NodeTarget[] {
  return rolling === undefined ? [] : [...rolling.created, ...rolling.createdAgain];
}

function stage(name: string, steps: readonly Step[]): Stage {
  return { name, steps };
}
