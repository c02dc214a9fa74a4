import type { Instant, Pod, Stored } from '@atoll/kube';
import { isCauseWord } from '../causes/cause.ts';
import type { Finding } from '../causes/finding.ts';
import { inspectionOf } from '../children/inspect-child.ts';
import { causeHold } from '../children/pods-hold.ts';
import { isTerminating } from '../children/child.ts';
import { deletionName } from '../engine/steps/deletion.ts';
import { earliestAfter } from '../engine/earliest.ts';
import type { Inspection } from '../engine/inspection.ts';
import { cachesNotSynced, hold, type Hold } from '../engine/hold.ts';
import type { RefusedTrials } from '../engine/refused-trials.ts';
import { chooseTargets, heldTargets, untilGone, untilNodeReady } from '../engine/rollout/choose-targets.ts';
import { refusedLast } from '../engine/rollout/deleted-in-turn.ts';
import { deletionsOf } from '../engine/rollout/deletions-of.ts';
import { refusedHolds, type RefusedTarget } from '../engine/rollout/refused-holds.ts';
import { isAtWanted, type Target } from '../engine/rollout/target.ts';
import { forPeopleFirst, joinTargetHolds, type TargetHold } from '../engine/rollout/target-hold.ts';
import { isRecorded } from './is-managed.ts';
import { nodeOf, nodeTargets, type NodeTarget } from './node-targets.ts';
import type { DaemonSetSnapshot } from './observe.ts';
import { latestTemplate, type LatestTemplate } from './pod-revision.ts';
import { holdRule, limitsOf } from './rolling-limits.ts';
import { readUpgradeRequest, type RollingUpgrade, type UpgradeRequest } from './upgrade-request.ts';

export interface DaemonSetDecision {
  readonly request: UpgradeRequest;
  readonly holds: readonly Hold[];
  /** undefined: nothing is done, for the reasons in the holds. */
  readonly upgrade: Upgrade | undefined;
  /** The DaemonSet itself, where pods are waited for: they may show why. */
  readonly inspect: readonly Inspection[];
  readonly requeueAt: Instant | undefined;
}

/** How far the nodes are, and what is to be done. */
export interface Upgrade {
  /** undefined: the DaemonSet asks for no strategy any more, or for none that can be used. */
  readonly latest: LatestTemplate | undefined;
  readonly nodes: readonly NodeTarget[];
  /** Outdated pods that may be deleted now, in the order in which they are to go. */
  readonly outdated: readonly NodeTarget[];
  /** Outdated pods that could not be deleted before, and are to be now, in order. They have places that no others want. */
  readonly outdatedAgain: readonly NodeTarget[];
  /** Names of the deletions that were refused, also of pods that are held for other reasons meanwhile. */
  readonly remembers: readonly string[];
  /** Pods that show the owners of their nodes whether they are outdated; of all others the condition is taken off. */
  readonly offered: readonly Stored<Pod>[];
  readonly withdrawn: readonly Stored<Pod>[];
}

/** All that plan, events and conditions of a DaemonSet are made of. */
export function decide(snapshot: DaemonSetSnapshot, now: Instant): DaemonSetDecision {
  const { owner, certain, history, pods, nodes, yurtManagers, finding, refused } = snapshot;
  const request = readUpgradeRequest(owner.object);
  const nothing = { request, upgrade: undefined, inspect: [], requeueAt: undefined };
  if (!certain) return { ...nothing, holds: [cachesNotSynced] };
  if (isTerminating(owner.object)) return { ...nothing, holds: [] };
  const [manager] = yurtManagers;
  if (manager !== undefined && request.strategy !== 'none') {
    const problem = `OpenYurt's yurt-manager, ${manager}, upgrades DaemonSets too. Scale it to zero, or switch that controller off with --controllers=*,-daemonpodupdater`;
    return { ...nothing, holds: [hold('ServedByYurtManager', 'person', [], { problem }, true)] };
  }
  const live = pods.filter((pod) => !isTerminating(pod));
  const noDeletions = { outdated: [], outdatedAgain: [], remembers: [] };
  const withdrawsAll = { latest: undefined, nodes: [], ...noDeletions, offered: [], withdrawn: live };
  if (request.strategy === 'invalid') {
    const holds = [hold(request.reason, 'person', [], { problem: request.problem }, true)];
    // The template may go back meanwhile: what is offered would be a pod of the current one.
    return { ...nothing, holds, upgrade: withdrawsAll };
  }
  if (request.strategy === 'none') return { ...nothing, holds: [], upgrade: withdrawsAll };
  const latest = latestTemplate(owner.object, history);
  if (latest === undefined) {
    const waitingUntil = 'the DaemonSet controller has recorded the current template';
    return { ...nothing, holds: [hold('TemplateNotSeen', 'time', [], { waitingUntil }, false)] };
  }
  const targets = nodeTargets(owner.object, pods, nodes, latest, now);
  const awaited = awaitedPods(targets, finding);
  const inspect =
    awaited.length === 0 ? [] : inspectionOf('DaemonSet', owner.object, reachableOf(targets).length);
  const availableAt = targets.map((each) => each.availableAt);
  if (request.strategy === 'ota') {
    const { holds, offered, withdrawn } = offers(targets, live, request.paused, now);
    return {
      request,
      holds: causesFirst([...holds, ...awaited]),
      inspect,
      upgrade: {
        latest,
        nodes: targets,
        ...noDeletions,
        offered: isRecorded(owner.object) ? offered : [],
        withdrawn,
      },
      requeueAt: earliestAfter(now, availableAt),
    };
  }
  const { holds, requeueAt, ...deletions } = decideDeletions(request, targets, refused, now);
  return {
    request,
    holds: causesFirst([...holds, ...awaited]),
    inspect,
    upgrade: { latest, nodes: targets, ...deletions, offered: [], withdrawn: live },
    requeueAt: earliestAfter(now, [requeueAt, ...availableAt]),
  };
}

type DecidedDeletions = Pick<Upgrade, 'outdated' | 'outdatedAgain' | 'remembers'> &
  Pick<DaemonSetDecision, 'holds' | 'requeueAt'>;

/**
 * The outdated pods that may be deleted now. One whose deletion the API server refused keeps its node, and others have its place in the budget: it is asked for
 * again in turn when none of them wants that.
 */
function decideDeletions(
  request: RollingUpgrade,
  nodes: readonly NodeTarget[],
  refused: RefusedTrials,
  now: Instant,
): DecidedDeletions {
  const undeletable = undeletableOf(nodes, refused);
  const limits = { ...limitsOf(request), ...refusedLast(undeletable, now) };
  const { byTarget, requeueAt } = chooseTargets({ targets: nodes.map(({ target }) => target), limits, now });
  const { deleted, deletedAgain, undeleted, others } = deletionsOf([...byTarget], undeletable);
  const byId = new Map(nodes.map((each) => [each.target.id, each]));
  const nodesOf = (ids: readonly string[]): readonly NodeTarget[] => ids.flatMap((id) => byId.get(id) ?? []);
  return {
    outdated: nodesOf(deleted),
    outdatedAgain: nodesOf(deletedAgain),
    remembers: [...undeletable.values()].map(({ trial }) => trial),
    holds: [
      ...refusedHolds('PodRefused', undeleted),
      ...forPeopleFirst(joinTargetHolds([...heldTargets(others), ...awayHolds(nodes)])),
    ],
    requeueAt,
  };
}

interface Undeletable extends RefusedTarget {
  readonly trial: string;
}

/** By node, the outdated pods whose deletion was refused. */
function undeletableOf(
  nodes: readonly NodeTarget[],
  refused: RefusedTrials,
): ReadonlyMap<string, Undeletable> {
  if (refused.size === 0) return new Map();
  return new Map(
    nodes.flatMap(({ target, pod }): readonly [string, Undeletable][] => {
      if (pod === undefined || isAtWanted(target)) return [];
      const trial = deletionName(pod);
      const answer = refused.get(trial);
      return answer === undefined ? [] : [[target.id, { id: target.id, answer, trial }]];
    }),
  );
}

/** Nodes that are away and have no available pod of the current template: nobody makes or starts one there. */
function awayHolds(nodes: readonly NodeTarget[]): readonly (readonly [id: string, held: TargetHold])[] {
  return nodes
    .filter(({ target }) => target.reach !== 'reachable' && isWithoutCurrentPod(target))
    .map(({ target }) => [target.id, untilNodeReady] as const);
}

/**
 * The pods whose owners decide, and the others: those on nodes where the DaemonSet controller would make no pod again, which would be without one, and
 * those that are to stay.
 */
function offers(
  nodes: readonly NodeTarget[],
  live: readonly Stored<Pod>[],
  paused: boolean,
  now: Instant,
): { readonly holds: readonly Hold[] } & Pick<Upgrade, 'offered' | 'withdrawn'> {
  const rule = holdRule(paused);
  const held = new Map(nodes.map(({ target }) => [target.id, rule(target, now)]));
  const isOffered = (pod: Stored<Pod>): boolean => {
    const node = nodeOf(pod);
    return node !== undefined && held.has(node) && held.get(node) === undefined;
  };
  const outdated = nodes
    .filter(({ target, pod }) => pod !== undefined && !isAtWanted(target))
    .map(({ target }) => target.id)
    .sort();
  const stay = outdated.flatMap((id) => {
    const why = held.get(id);
    return why === undefined ? [] : [[id, why] as const];
  });
  const going = nodes
    .filter(({ target }) => target.health === 'gone' && target.at !== 'nothing' && !isAtWanted(target))
    .map(({ target }) => [target.id, untilGone] as const);
  const open = outdated.filter((id) => held.get(id) === undefined);
  const problem = 'pods run an older template';
  const waitingUntil = 'the owners of the nodes upgrade them';
  const available = hold('UpgradeAvailable', 'person', open, { problem, waitingUntil }, false);
  return {
    holds: [
      ...joinTargetHolds(stay),
      ...(open.length === 0 ? [] : [available]),
      ...joinTargetHolds([...going, ...awayHolds(nodes)]),
    ],
    offered: live.filter((pod) => isOffered(pod)),
    withdrawn: live.filter((pod) => !isOffered(pod)),
  };
}

/**
 * Nodes that are reachable and whose pod of the current template is not available, or not there; with the cause where it was found
 * in one of these pods, or is that none can be created.
 */
function awaitedPods(nodes: readonly NodeTarget[], finding: Finding | undefined): readonly Hold[] {
  const waiting = reachableOf(nodes).filter(({ target }) => isWithoutCurrentPod(target));
  if (waiting.length === 0) return [];
  const ids = waiting.map(({ target }) => target.id).sort();
  const names = new Set(waiting.map(({ pod }) => pod?.metadata.name));
  const isOfThese = finding?.pods.length === 0 || finding?.pods.some((name) => names.has(name)) === true;
  const otherwise = hold('WaitingForReady', 'health', ids, { waitingUntil: 'the pods are available' }, false);
  return [causeHold(isOfThese ? finding : undefined, otherwise)];
}

/** Its pod of the current template is not available, or there is none at all. */
function isWithoutCurrentPod(target: Target): boolean {
  return target.at === 'nothing' || (isAtWanted(target) && target.health !== 'healthy');
}

function reachableOf(nodes: readonly NodeTarget[]): readonly NodeTarget[] {
  return nodes.filter(({ target }) => target.reach === 'reachable');
}

/** What a person has to do, then why pods are not available, then the rest: the first goes into the conditions. */
function causesFirst(holds: readonly Hold[]): readonly Hold[] {
  const rank = ({ waitsFor, reason }: Hold): number =>
    waitsFor === 'person' ? 0 : isCauseWord(reason) ? 1 : 2;
  return holds.toSorted((a, b) => rank(a) - rank(b));
}
