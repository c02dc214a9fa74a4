import {
  extendedDaemonSetAnnotations as annotations,
  extendedDaemonSetLabels as labels,
  extendedDaemonSetReplicaSets,
  extendedDaemonSets,
  extendedDaemonsetSettings,
  replicaSetConditions,
  type ExtendedDaemonSet,
  type ExtendedDaemonSetReplicaSet,
} from '@atoll/api';
import {
  controllerOf,
  pods as podResource,
  type Instant,
  type Pod,
  type PodTemplate,
  type Stored,
} from '@atoll/kube';
import { deletion } from '../engine/deletion.ts';
import { patchAsSeen } from '../engine/executor/patch-as-seen.ts';
import type { Hold } from '../engine/hold.ts';
import { guardOf, nothingToDo, type Guard, type Plan, type Stage } from '../engine/plan.ts';
import { toTimestamp } from '../engine/status/conditions.ts';
import { seenExactly } from '../engine/seen.ts';
import type { Step } from '../engine/step.ts';
import type { UnwantedPod } from './cleanup.ts';
import type { ExtendedDaemonSetDecision, FleetDecision } from './decide.ts';
import type { NodeTarget } from './fleet/node-targets.ts';
import { renderPod } from './fleet/render-pod.ts';
import type { ExtendedDaemonSetSnapshot } from './observe.ts';
import { podTemplateStep } from './pod-template.ts';
import { mergeOldConditions } from './replica-sets/conditions.ts';
import { renderReplicaSet } from './replica-sets/render-replica-set.ts';
import { emptyStatus as emptyObjectStatus, stateWithoutCanary } from './report/object-status.ts';
import { emptyStatus } from './report/replica-set-status.ts';
import { matchingPods, type Canary, type Roles } from './roles.ts';
import type { HeldBy } from './rolling/held-by.ts';

type ReplicaSet = Stored<ExtendedDaemonSetReplicaSet>;
type Object = Stored<ExtendedDaemonSet>;

/** At most so many deletions of one sort in one plan. */
const burst = 250;

/** Makes the replica set of the template, and deletes and makes pods within the limits. */
export function plan(
  { owner, podTemplate }: ExtendedDaemonSetSnapshot,
  { fleet, holds, lookAgainAt }: ExtendedDaemonSetDecision,
  now: Instant,
): Plan {
  const shown = holds.filter((hold) => !isProgress(hold));
  if (fleet === undefined || owner === undefined) return { ...nothingToDo, holds: shown };
  const { object } = owner;
  const stages = objectStages(object, fleet) ?? [
    templateStage(object, podTemplate),
    ...fleetStages(object, fleet, now),
  ];
  return {
    stages: stages.filter(({ steps }) => steps.length > 0),
    holds: shown,
    targets: [fleet.active, fleet.canary].flatMap((each) => each?.targets.map(({ target }) => target) ?? []),
    guards: [guardOf(extendedDaemonSets, object, controlAnnotations), ...settingGuards(fleet)],
    ...(lookAgainAt === undefined ? {} : { lookAgainAt }),
  };
}

/** A plan is dropped when one of them changes (F8). */
const controlAnnotations: readonly string[] = [
  annotations.canaryValid,
  annotations.canaryPaused,
  annotations.canaryUnpaused,
  annotations.rollingUpdatePaused,
  annotations.rolloutFrozen,
  annotations.oldDaemonSet,
  annotations.onCanaryFailure,
  annotations.canaryPromotion,
];

/** The settings that pods are made with, or replaced because of: one that is changed or taken back meanwhile costs no pod (F8). */
function settingGuards({ active, canary }: FleetDecision): readonly Guard[] {
  const changed = [active, canary].flatMap((each) => [...(each?.deleted ?? []), ...(each?.created ?? [])]);
  const settings = new Set(changed.flatMap(({ overrides: { setting } }) => setting ?? []));
  return [...settings].map((setting) => guardOf(extendedDaemonsetSettings, setting));
}

/**
 * The canary becomes the active replica set. That cannot be taken back, so the pods which justify it are read live before: nobody may have
 * written one of them since it was seen to be Ready (F5). The status names the version of the object.
 */
function promote(
  object: Object,
  { replicaSet, targets }: Canary,
  { by, why }: NonNullable<Roles['promoted']>,
  held: HeldBy | undefined,
): Step {
  const { name } = replicaSet.metadata;
  const state = stateWithoutCanary(held);
  const status = {
    ...emptyObjectStatus,
    ...object.status,
    activeReplicaSet: name,
    canary: null,
    reason: null,
    state,
  };
  const isJustifiedByPods = by === 'time and health';
  return {
    ...patchAsSeen(extendedDaemonSets, object, { type: 'merge', body: { status } }),
    subresource: 'status',
    irreversible: true,
    ...(isJustifiedByPods
      ? { restsOn: matchingPods(targets).map((pod) => seenExactly(podResource, pod)) }
      : {}),
    why: { word: 'CanaryPromoted', message: `canary ${name} is promoted (${by}): ${why}` },
  };
}

/** Changes of the object itself: what else is planned would be for the object as it was, so it comes with the next plan. */
function objectStages(object: Object, fleet: FleetDecision): readonly Stage[] | undefined {
  const { revertsTo, clears, roles } = fleet;
  if (roles.promoted !== undefined && roles.canary !== undefined) {
    return [
      {
        name: 'promote the canary',
        steps: [promote(object, roles.canary, roles.promoted, fleet.held)],
        runs: 'always',
      },
    ];
  }
  if (revertsTo !== undefined) {
    const body = [{ op: 'replace', path: '/spec/template', value: revertsTo.spec.template }] as const;
    const why = {
      word: 'TemplateReverted',
      message: `the template goes back to that of ${revertsTo.metadata.name}, because the canary failed`,
    } as const;
    const step: Step = {
      ...patchAsSeen(extendedDaemonSets, object, { type: 'json', body }),
      irreversible: true,
      why,
    };
    return [{ name: 'revert the template', steps: [step], runs: 'always' }];
  }
  if (clears.length === 0) return undefined;
  const body = { metadata: { annotations: Object.fromEntries(clears.map((name) => [name, null])) } };
  const shown = clears.map((name) => name.slice(name.indexOf('/') + 1)).join(', ');
  const message = `the canary has ended, so its annotations are removed: ${shown}`;
  const why = { word: 'CanaryEnded', message } as const;
  const step: Step = { ...patchAsSeen(extendedDaemonSets, object, { type: 'merge', body }), why };
  return [{ name: 'remove annotations of the canary', steps: [step], runs: 'always' }];
}

function templateStage(object: Object, found: Stored<PodTemplate> | undefined): Stage {
  const step = podTemplateStep(object, found);
  return { name: 'keep the pod template', steps: step === undefined ? [] : [step], runs: 'always' };
}

function fleetStages(object: Object, fleet: FleetDecision, now: Instant): readonly Stage[] {
  const { active, canary, unwanted, labelled, obsolete, roles, strategy, makesReplicaSet } = fleet;
  const outdated = active?.deleted.slice(0, burst) ?? [];
  // Spacing of less than a second cannot be written in whole seconds.
  const recordsBatch =
    strategy.reconcileEveryMs >= 1_000 && outdated.length > 0 && roles.active !== undefined;
  const { active: activeSet, canary: tried } = roles;
  const created = active?.created ?? [];
  const createdCanary = canary?.created ?? [];
  return [
    {
      name: 'create the replica set',
      steps: makesReplicaSet ? [createReplicaSet(object)] : [],
      runs: 'always',
    },
    {
      name: 'label pods of the DaemonSet',
      steps: labelled.slice(0, burst).map((pod) => labelReplaced(object, pod)),
      runs: 'always',
    },
    {
      name: 'delete unwanted pods',
      steps: unwanted.slice(0, burst).map(deleteUnwanted),
      runs: 'always',
    },
    {
      name: 'delete ended pods',
      steps: [...createdCanary, ...created].flatMap(({ replaces, target }) =>
        replaces === undefined ? [] : [deleteEnded(replaces, target.id)],
      ),
      runs: 'always',
    },
    {
      name: 'label canary pods',
      steps: [...labelSteps(canary?.targets ?? [], true), ...labelSteps(active?.targets ?? [], false)].slice(
        0,
        burst,
      ),
      runs: 'always',
    },
    {
      name: 'delete outdated pods of canary nodes',
      steps:
        tried === undefined
          ? []
          : (canary?.deleted ?? []).flatMap((each) => deleteOutdated(each, tried.replicaSet)),
      runs: 'always',
    },
    {
      name: 'record the batch',
      steps: recordsBatch && activeSet !== undefined ? [recordBatch(activeSet, now)] : [],
      runs: 'always',
    },
    {
      name: 'delete outdated pods',
      steps:
        activeSet === undefined
          ? []
          : outdated.flatMap((each) =>
              deleteOutdated(each, activeSet, recordsBatch ? [activeSet.metadata.uid] : undefined),
            ),
      runs: 'always',
    },
    {
      name: 'create canary pods',
      steps:
        tried === undefined
          ? []
          : createdCanary.map((each) => createPod(object, tried.replicaSet, each, true)),
      runs: 'always',
      slowStart: true,
    },
    {
      name: 'create pods',
      steps: activeSet === undefined ? [] : created.map((each) => createPod(object, activeSet, each, false)),
      runs: 'always',
      slowStart: true,
    },
    { name: 'delete obsolete replica sets', steps: obsolete.map(deleteObsolete), runs: 'always' },
  ];
}

function createReplicaSet(object: Object): Step {
  const rendered = renderReplicaSet(object);
  return {
    do: 'create',
    resource: extendedDaemonSetReplicaSets,
    object: rendered,
    managed: 'once',
    why: { word: 'ReplicaSetCreated', message: `the template of ${object.metadata.name} has no replica set` },
  };
}

function createPod(object: Object, replicaSet: ReplicaSet, each: NodeTarget, isCanary: boolean): Step {
  const { overrides, failures, target, replaces } = each;
  return {
    do: 'create',
    resource: podResource,
    object: renderPod({ object, replicaSet, node: target.id, overrides, isCanary, failures }),
    managed: 'once',
    target: target.id,
    ...(replaces === undefined ? {} : { dependsOn: [replaces.metadata.uid] }),
    why: { word: 'PodCreated', message: `node ${target.id} has no pod of ${replicaSet.metadata.name}` },
  };
}

/** Where the pod is not healthy that was the reason to take it first, so it must still be as it was seen (F2). */
function deleteOutdated(
  { target, pods: { kept }, outdatedBy }: NodeTarget,
  replicaSet: ReplicaSet,
  dependsOn?: readonly string[],
): readonly Step[] {
  if (kept === undefined) return [];
  const { name: wanted } = replicaSet.metadata;
  const made = controllerOf(kept)?.name;
  const cause =
    outdatedBy === 'overrides'
      ? 'was made with other resources than settings and annotations give the node now'
      : `${made === undefined ? 'belongs to no replica set' : `is of ${made}`}, and the node is to run ${wanted}`;
  return [
    {
      ...deletion(podResource, kept, { asSeen: target.health !== 'healthy' }),
      target: target.id,
      whileReady: { name: target.id },
      ifRefused: 'PodRefused',
      ...(dependsOn === undefined ? {} : { dependsOn }),
      why: {
        word: 'PodOutdated',
        message: `pod ${kept.metadata.name} of node ${target.id} ${cause}`,
      },
    },
  ];
}

function deleteUnwanted({ pod, node, because }: UnwantedPod): Step {
  const causes = {
    duplicate: `node ${node} has another pod`,
    unfit: `node ${node} does not fit the template`,
    'node-gone': `node ${node} is gone`,
  } as const;
  return {
    ...deletion(podResource, pod),
    target: node,
    ifRefused: 'PodRefused',
    why: { word: 'PodUnwanted', message: `pod ${pod.metadata.name}: ${causes[because]}` },
  };
}

function deleteEnded(pod: Stored<Pod>, node: string): Step {
  const { phase = '', reason = '' } = (pod.status ?? {}) as {
    readonly phase?: string;
    readonly reason?: string;
  };
  return {
    ...deletion(podResource, pod),
    target: node,
    ifRefused: 'PodRefused',
    why: {
      word: 'PodReplaced',
      message: `pod ${pod.metadata.name} of node ${node} is ${phase}${reason === '' ? '' : ` (${reason})`}`,
    },
  };
}

/** Written before the pods are deleted, so that a process that starts anew keeps the interval. */
function recordBatch(replicaSet: ReplicaSet, now: Instant): Step {
  const statement = {
    type: replicaSetConditions.podDeletion,
    holds: true,
    message: 'pods deleted',
    updatedAt: now,
  };
  const status = {
    ...emptyStatus,
    ...replicaSet.status,
    conditions: mergeOldConditions(replicaSet.status?.conditions, [statement], now),
  };
  return {
    ...patchAsSeen(extendedDaemonSetReplicaSets, replicaSet, { type: 'merge', body: { status } }),
    subresource: 'status',
    why: { word: 'BatchRecorded', message: `a batch is deleted at ${toTimestamp(now)}` },
  };
}

/** Whether a pod is one of a canary; upstream says so after it was made. */
function labelSteps(targets: readonly NodeTarget[], isCanary: boolean): readonly Step[] {
  return targets.flatMap(({ matches, pods: { kept }, target }): readonly Step[] => {
    if (!matches || kept === undefined) return [];
    if ((kept.metadata.labels?.[labels.canary] === 'true') === isCanary) return [];
    const body = { metadata: { labels: { [labels.canary]: isCanary ? 'true' : null } } };
    return [
      {
        ...patchAsSeen(podResource, kept, { type: 'merge', body }),
        target: target.id,
        ifRefused: 'PodRefused',
        why: {
          word: 'PodLabelled',
          message: `pod ${kept.metadata.name} ${isCanary ? 'belongs to the canary' : 'no longer belongs to a canary'}`,
        },
      },
    ];
  });
}

/** Says whose the pod is to be when its DaemonSet is gone. */
function labelReplaced({ metadata: { name } }: Object, pod: Stored<Pod>): Step {
  const body = { metadata: { labels: { [labels.name]: name } } };
  return {
    ...patchAsSeen(podResource, pod, { type: 'merge', body }),
    ifRefused: 'PodRefused',
    why: { word: 'PodLabelled', message: `pod ${pod.metadata.name} is to be replaced by ${name}` },
  };
}

function deleteObsolete(replicaSet: ReplicaSet): Step {
  return {
    ...deletion(extendedDaemonSetReplicaSets, replicaSet),
    why: { word: 'ReplicaSetObsolete', message: `nothing runs the template of ${replicaSet.metadata.name}` },
  };
}

/** What every rollout passes through; conditions show it, and no event each time. */
function isProgress({ reason }: Hold): boolean {
  return (
    reason === 'WaitingForReady' ||
    reason === 'MaxUnavailableReached' ||
    reason === 'BeingDeleted' ||
    reason === 'CreationLimitReached' ||
    reason === 'BatchInterval' ||
    reason === 'CanaryRunning'
  );
}
