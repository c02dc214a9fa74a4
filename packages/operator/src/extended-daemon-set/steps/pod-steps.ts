import {
  extendedDaemonSetLabels as labels,
  type ExtendedDaemonSet,
  type ExtendedDaemonSetReplicaSet,
} from '@atoll/api';
import { asLabelValue, controllerOf, pods, type Node, type Pod, type Stored } from '@atoll/kube';
import { deletion, deletionName } from '../../engine/steps/deletion.ts';
import { patchAsSeen } from '../../engine/steps/patch-as-seen.ts';
import { nodeSeenAs, seenAsNode, seenExactly } from '../../engine/steps/seen.ts';
import type { Seen, Step } from '../../engine/step.ts';
import type { NodeTarget } from '../fleet/nodes/node-targets.ts';
import { renderPod } from '../fleet/render-pod.ts';
import type { UnwantedPod } from '../fleet/unwanted-pods.ts';
import { nodeResourcesPrefixOf } from '../overrides/node-resources.ts';
import { hasOverrides } from '../overrides/pod-overrides.ts';
import { asksTheSameOfQuotas } from '../rolling/refusals/asks-of-quota.ts';
import { creationName, trialName } from '../rolling/refusals/trial-name.ts';

type ReplicaSet = Stored<ExtendedDaemonSetReplicaSet>;

export function createPod(
  object: Stored<ExtendedDaemonSet>,
  each: NodeTarget,
  replicaSet: ReplicaSet,
  isCanary: boolean,
  turn: number,
): Step {
  const { target, seen, replaces } = each;
  return {
    do: 'create',
    resource: pods,
    object: podFor(object, each, replicaSet, isCanary),
    managed: 'once',
    identity: [labels.name],
    trial: creationName(replicaSet, target.id),
    turn,
    target: target.id,
    nodeSeen: nodeSeenAs(seen, nodeResourcesPrefixOf(object.metadata)),
    ...(replaces === undefined ? {} : { dependsOn: [replaces.metadata.uid] }),
    why: { word: 'PodCreated', message: `node ${target.id} has no pod of ${replicaSet.metadata.name}` },
  };
}

export type PodTrial = Extract<Step, { readonly do: 'try' }>;

/** Asks whether the pod would be taken that replaces the one of this node. No more than a few may be refused in a turn. */
export function tryPod(
  object: Stored<ExtendedDaemonSet>,
  each: NodeTarget,
  replicaSet: ReplicaSet,
  isCanary: boolean,
  { turn, replicaSets }: { readonly turn: number; readonly replicaSets: readonly ReplicaSet[] },
): PodTrial {
  const { name } = replicaSet.metadata;
  return {
    do: 'try',
    resource: pods,
    object: podFor(object, each, replicaSet, isCanary),
    trial: trialName(replicaSet, each),
    turn,
    ...(asksTheSame(each, replicaSet, replicaSets) ? { asksTheSame: true } : {}),
    target: each.target.id,
    why: {
      word: 'PodTried',
      message: `before a pod is deleted for one of ${name}, the API server is asked whether it takes that`,
    },
  };
}

/** Whether the pod of a node asks for as much of quotas as the one that is to replace it. */
function asksTheSame(
  { pods: { kept }, overrides }: NodeTarget,
  { spec: { template } }: ReplicaSet,
  replicaSets: readonly ReplicaSet[],
): boolean {
  if (kept === undefined || !hasOverrides(kept, overrides)) return false;
  const uid = controllerOf(kept)?.uid;
  const madeOf = replicaSets.find(({ metadata }) => metadata.uid === uid);
  return madeOf !== undefined && asksTheSameOfQuotas(madeOf.spec.template, template);
}

function podFor(
  object: Stored<ExtendedDaemonSet>,
  { overrides, failures, target }: NodeTarget,
  replicaSet: ReplicaSet,
  isCanary: boolean,
): Pod {
  return renderPod({ object, replicaSet, node: target.id, overrides, isCanary, failures });
}

/**
 * Where the pod is not healthy that was the reason to take it first, so it must still be as it was seen (F2). `after`: what has to be done
 * before, as `dependsOn` names it. `isRetry`: it was refused before.
 */
export function deleteOutdated(
  object: Stored<ExtendedDaemonSet>,
  { target, seen, pods: { kept }, outdatedBy }: NodeTarget,
  { metadata: { name: wanted } }: ReplicaSet,
  after: readonly string[],
  isRetry: boolean,
  restsOn: readonly Seen[] = [],
): readonly Step[] {
  if (kept === undefined) return [];
  const made = controllerOf(kept)?.name;
  const cause =
    outdatedBy === 'overrides'
      ? 'was made with other resources than settings and annotations give the node now'
      : made === wanted
        ? `is of a replica set ${made} that is gone, and the node is to run the one of this name`
        : `${made === undefined ? 'belongs to no replica set' : `is of ${made}`}, and the node is to run ${wanted}`;
  return [
    {
      ...deletion(pods, kept, { asSeen: target.health !== 'healthy' }),
      target: target.id,
      whileReady: { name: target.id },
      nodeSeen: nodeSeenAs(seen, nodeResourcesPrefixOf(object.metadata)),
      ...(restsOn.length === 0 ? {} : { restsOn }),
      ifRefused: 'PodRefused',
      trial: deletionName(kept),
      ...(isRetry ? { isRetry } : {}),
      ...(after.length === 0 ? {} : { dependsOn: after }),
      why: { word: 'PodOutdated', message: `pod ${kept.metadata.name} of node ${target.id} ${cause}` },
    },
  ];
}

/**
 * Which of two pods is the duplicate depends on which is Ready, so both must still be as they were seen (F2, F5). Otherwise the node decides: `found`, which
 * may have got its labels back, be rid of its taint, or have come, where the cache is behind. `isRetry`: it was refused before.
 */
export function deleteUnwanted(
  { pod, node, because, beside }: UnwantedPod,
  found: Stored<Node> | undefined,
  isRetry: boolean,
): Step {
  const causes = {
    duplicate: `node ${node} has another pod`,
    unfit: `node ${node} does not fit the template`,
    'node-gone': `node ${node} is gone`,
  } as const;
  return {
    ...deletion(pods, pod, { asSeen: beside !== undefined }),
    restsOn: [beside === undefined ? seenAsNode(node, found) : seenExactly(pods, beside)],
    target: node,
    ifRefused: 'PodRefused',
    trial: deletionName(pod),
    ...(isRetry ? { isRetry } : {}),
    why: { word: 'PodUnwanted', message: `pod ${pod.metadata.name}: ${causes[because]}` },
  };
}

/** `isRetry`: it was refused before. */
export function deleteEnded({ replaces, target }: NodeTarget, isRetry: boolean): readonly Step[] {
  if (replaces === undefined) return [];
  const { phase = '', reason = '' } = (replaces.status ?? {}) as {
    readonly phase?: string;
    readonly reason?: string;
  };
  const how = `${phase}${reason === '' ? '' : ` (${reason})`}`;
  return [
    {
      ...deletion(pods, replaces),
      target: target.id,
      ifRefused: 'PodRefused',
      trial: deletionName(replaces),
      ...(isRetry ? { isRetry } : {}),
      why: {
        word: 'PodReplaced',
        message: `pod ${replaces.metadata.name} of node ${target.id} is ${how}`,
      },
    },
  ];
}

/** Whether a pod is one of a canary; upstream labels it after it was made. */
export function labelCanary(
  { matches, pods: { kept }, target }: NodeTarget,
  isCanary: boolean,
): readonly Step[] {
  if (!matches || kept === undefined) return [];
  if ((kept.metadata.labels?.[labels.canary] === 'true') === isCanary) return [];
  const body = { metadata: { labels: { [labels.canary]: isCanary ? 'true' : null } } };
  return [
    {
      ...patchAsSeen(pods, kept, { type: 'merge', body }),
      target: target.id,
      ifRefused: 'PodRefused',
      why: {
        word: 'PodLabelled',
        message: `pod ${kept.metadata.name} ${isCanary ? 'belongs to the canary' : 'no longer belongs to a canary'}`,
      },
    },
  ];
}

/** The label shows which object replaces the pod when its DaemonSet is gone. */
export function labelReplaced({ metadata: { name } }: Stored<ExtendedDaemonSet>, pod: Stored<Pod>): Step {
  const body = { metadata: { labels: { [labels.name]: asLabelValue(name) } } };
  return {
    ...patchAsSeen(pods, pod, { type: 'merge', body }),
    ifRefused: 'PodRefused',
    why: { word: 'PodLabelled', message: `pod ${pod.metadata.name} is to be replaced by ${name}` },
  };
}
