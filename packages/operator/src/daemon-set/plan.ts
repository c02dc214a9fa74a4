import { daemonSetUpdate } from '@atoll/api';
import { controllerRevisions, pods as podResource } from '@atoll/kube';
import type { ControllerRevision, Instant, Pod, Stored } from '@atoll/kube';
import { deletion, deletionName } from '../engine/steps/deletion.ts';
import { nodeSeenAs, seenAsNode } from '../engine/steps/seen.ts';
import type { Hold } from '../engine/hold.ts';
import { guardOf, nothingToDo, type Guard, type Plan, type Stage } from '../engine/plan.ts';
import type { Step } from '../engine/step.ts';
import type { DaemonSetDecision, Upgrade } from './decide.ts';
import { needUpgradeStep, withdrawUpgradeStep } from './strategy/need-upgrade.ts';
import { nodeOf } from '../children/pods/placement/node-of-pod.ts';
import type { NodeTarget } from './nodes/node-targets.ts';
import type { DaemonSetSnapshot } from './observe.ts';
import { hashOf, isLatest, type LatestTemplate } from './nodes/pod-revision.ts';

const { annotations } = daemonSetUpdate;

/** At most so many deletions in one plan, as in every release of OpenYurt. */
const burst = 250;

/** Deletes the outdated pods that may go now, or records on each pod whether it is outdated. */
export function plan(
  { owner, history }: DaemonSetSnapshot,
  { request, holds, upgrade, inspect, requeueAt }: DaemonSetDecision,
  now: Instant,
): Plan {
  const shown = holds.map((hold): Hold => (passes(hold) ? { ...hold, passing: true } : hold));
  if (upgrade === undefined) return { ...nothingToDo, holds: shown };
  const { latest, outdated, outdatedAgain, remembers, offered, withdrawn } = upgrade;
  const deleted = [...outdated, ...outdatedAgain];
  const again = new Set(outdatedAgain);
  const evicts = request.strategy === 'rolling' && request.evicts;
  const stages: readonly Stage[] = [
    {
      name: 'record which pods are outdated',
      steps: latest === undefined ? [] : offerSteps(upgrade, latest, now),
    },
    {
      name: 'take conditions off pods',
      steps: withdrawn.flatMap((pod) => withdrawUpgradeStep(pod, request.strategy) ?? []),
    },
    {
      name: 'delete outdated pods',
      steps: deleted.slice(0, burst).flatMap((each) => deleteStep(each, evicts, again.has(each))),
      // What a disruption budget refuses for one pod it refuses for the others, and each is two requests.
      slowStart: evicts,
    },
  ];
  return {
    stages: stages.filter(({ steps }) => steps.length > 0),
    holds: shown,
    inspect,
    targets: upgrade.nodes.map(({ target }) => target),
    remembers,
    guards: [
      guardOf(owner.resource, owner.object, controlAnnotations),
      ...(latest === undefined
        ? []
        : revisionGuards([...deleted.flatMap(({ pod }) => pod ?? []), ...offered], latest, history)),
    ],
    ...(requeueAt === undefined ? {} : { requeueAt }),
  };
}

/**
 * The revisions of the pods that count as outdated. Where a template comes back, its revision gets the highest number, and another watch may show the
 * DaemonSet first: the plan is dropped then. And the newest one: where somebody deleted that, another one is the newest. Of a revision that is not kept nothing
 * is known.
 */
function revisionGuards(
  pods: readonly Stored<Pod>[],
  latest: LatestTemplate,
  history: readonly Stored<ControllerRevision>[],
): readonly Guard[] {
  const outdated = pods.filter((pod) => !isLatest(pod, latest));
  const hashes = new Set([latest.hash, ...outdated.map(hashOf)]);
  return history
    .filter((revision) => hashes.has(hashOf(revision)))
    .map((found) => ({ ...guardOf(controllerRevisions, found), fields: { revision: found.revision } }));
}

/** A plan is dropped when one of them changes. */
const controlAnnotations: readonly string[] = [
  annotations.updateStrategy,
  annotations.upgradeStrategy,
  annotations.maxUnavailable,
  annotations.rolloutPaused,
  annotations.awayNodeCountsSeconds,
  annotations.respectDisruptionBudgets,
  annotations.templateGeneration,
];

/** An offer may wait for its turn among thousands: its node must still be as it was seen, as far as is known. */
function offerSteps({ nodes, offered }: Upgrade, latest: LatestTemplate, now: Instant): readonly Step[] {
  const byId = new Map(nodes.map(({ target, seen }) => [target.id, seen]));
  return offered.flatMap((pod) => {
    const step = needUpgradeStep(pod, latest, now);
    const seen = byId.get(nodeOf(pod) ?? '');
    if (step === undefined) return [];
    return seen === undefined ? [step] : [{ ...step, nodeSeen: nodeSeenAs(seen) }];
  });
}

/**
 * Where the pod is not healthy that was the reason to take it first, so it must still be as it was seen. The node is read live, too: it may be away, excluded or
 * tainted where the cache of nodes is behind, as that of a new leader. `isRetry`: it was refused before.
 */
function deleteStep({ target, seen, pod }: NodeTarget, evicts: boolean, isRetry: boolean): readonly Step[] {
  if (pod === undefined) return [];
  const why = {
    word: 'PodOutdated',
    message: `pod ${pod.metadata.name} of node ${target.id} is not of the current template`,
  } as const;
  const asSeen = target.health !== 'healthy';
  return [
    {
      ...deletion(podResource, pod, { asSeen }),
      target: target.id,
      whileReady: { name: target.id },
      nodeSeen: nodeSeenAs(seen),
      restsOn: [{ ...seenAsNode(target.id, seen), ready: true }],
      ifRefused: 'PodRefused',
      trial: deletionName(pod),
      ...(isRetry ? { isRetry } : {}),
      ...(evicts ? { evict: true } : {}),
      why,
    },
  ];
}

/** What every rollout passes through. */
function passes({ reason }: Hold): boolean {
  return reason === 'WaitingForReady' || reason === 'MaxUnavailableReached' || reason === 'BeingDeleted';
}
