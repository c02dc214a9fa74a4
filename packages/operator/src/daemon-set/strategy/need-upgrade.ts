import { daemonSetUpdate } from '@atoll/api';
import {
  conditionOf,
  pods as podResource,
  type Instant,
  type Pod,
  type PodCondition,
  type Stored,
} from '@atoll/kube';
import { patchAsSeen } from '../../engine/steps/patch-as-seen.ts';
import { toTimestamp } from '../../engine/status/conditions.ts';
import type { Step } from '../../engine/step.ts';
import { isPullCondition, revisionMessage } from '../../image-pre-pull/pull-request.ts';
import { isLatest, type LatestTemplate } from '../nodes/pod-revision.ts';
import type { UpgradeRequest } from './upgrade-request.ts';

const { needUpgrade: type } = daemonSetUpdate.podConditions;

/**
 * Writes into the status of a pod whether it is of another template than the current one, for the owner of its node; undefined: its condition is right, or it is not known.
 */
export function needUpgradeStep(pod: Stored<Pod>, latest: LatestTemplate, now: Instant): Step | undefined {
  const isCurrent = isLatest(pod, latest);
  // Of which template it is will be known when the current revision is read. One that is outdated by what is known is looked at live before.
  if (isCurrent && !latest.isCertain) return undefined;
  const status = isCurrent ? 'False' : 'True';
  const message = revisionMessage(latest.hash);
  const found = conditionOf(pod, type);
  if (found?.status === status && found.message === message) return undefined;
  const lastTransitionTime =
    found?.status === status ? (found.lastTransitionTime ?? toTimestamp(now)) : toTimestamp(now);
  const why = {
    word: isCurrent ? 'UpgradeDone' : 'UpgradeAvailable',
    message: `pod ${pod.metadata.name} is ${isCurrent ? '' : 'not '}of the current template`,
  } as const;
  return { ...conditionPatch(pod, { type, status, message, lastTransitionTime }), why };
}

/** Whether the pod has a condition for the owner of its node. */
export function hasOffer(pod: Pod): boolean {
  return offersOf(pod).length > 0;
}

function offersOf({ status }: Pod): readonly PodCondition[] {
  return status?.conditions?.filter((each) => each.type === type || isPullCondition(each)) ?? [];
}

/**
 * Takes the condition off a pod; undefined: it has none. That of its images goes too where the owners of nodes do not decide any more. After a pause, or when
 * the node is one of the DaemonSet's again, they do, and what was asked for is to be answered before the pod is upgraded.
 */
export function withdrawUpgradeStep(
  pod: Stored<Pod>,
  strategy: UpgradeRequest['strategy'],
): Step | undefined {
  const isForNow = strategy === 'ota' || strategy === 'invalid';
  const left = offersOf(pod).filter((each) => each.type === type || !isForNow);
  if (left.length === 0) return undefined;
  const why = {
    word: 'UpgradeWithdrawn',
    message: `the owner of the node does not decide about pod ${pod.metadata.name} any more`,
  } as const;
  const gone = left.map((each) => ({ type: each.type, $patch: 'delete' }));
  return { ...conditionPatch(pod, ...gone), why };
}

/** The patch names these conditions alone: those of others stay, also where they are written meanwhile. */
export function conditionPatch(pod: Stored<Pod>, ...conditions: readonly object[]) {
  const patch = { type: 'strategic', body: { status: { conditions } } } as const;
  const { name } = pod.metadata;
  return {
    ...patchAsSeen(podResource, pod, patch),
    subresource: 'status',
    target: pod.spec?.nodeName ?? name,
    ifRefused: 'PodRefused',
  } as const;
}
