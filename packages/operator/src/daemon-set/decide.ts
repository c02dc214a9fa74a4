import type { Instant, Pod, Stored } from '@atoll/kube';
import { isCauseWord } from '../causes/cause.ts';
import { inspectionOf } from '../children/inspect-child.ts';
import { isTerminating } from '../children/child.ts';
import { earliestAfter } from '../engine/earliest.ts';
import type { Inspection } from '../engine/inspection.ts';
import { taintedHolds, type TaintedNode } from '../engine/rollout/tainted-holds.ts';
import { cachesNotSynced, hold, type Hold } from '../engine/hold.ts';
import { isRecorded } from './is-managed.ts';
import { awaitedPods, namesOfAwaited, reachableOf } from './nodes/awaited-pods.ts';
import { nodeTargets, type NodeTarget } from './nodes/node-targets.ts';
import { taintedNodes } from './nodes/tainted-nodes.ts';
import { overdueTimes, unendedHolds } from './nodes/unended-pods.ts';
import { withoutLeftOut } from './nodes/without-left-out.ts';
import { latestTemplate, type LatestTemplate } from './nodes/pod-revision.ts';
import type { DaemonSetSnapshot } from './observe.ts';
import { decideDeletions } from './strategy/deletions.ts';
import { offers } from './strategy/offers.ts';
import { isDone } from './up-to-date.ts';
import { readUpgradeRequest, type UpgradeRequest } from './strategy/upgrade-request.ts';

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
  /** Nodes that are none of the DaemonSet's any more, and run a pod of another template. */
  readonly tainted: readonly TaintedNode[];
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
  const { owner, certain, yurtManagers } = snapshot;
  const request = readUpgradeRequest(owner.object);
  const nothing = { request, upgrade: undefined, inspect: [], requeueAt: undefined };
  if (!certain) return { ...nothing, holds: [cachesNotSynced] };
  if (isTerminating(owner.object)) return { ...nothing, holds: [] };
  const [manager] = yurtManagers;
  if (manager !== undefined && request.strategy !== 'none') {
    const problem = `OpenYurt's ${manager.name}, ${manager.what}, upgrades DaemonSets too. Switch that controller off there: add -daemonpodupdater to its flag --controllers, whose default is *`;
    return { ...nothing, holds: [hold('ServedByYurtManager', 'person', [], { problem }, true)] };
  }
  if (request.strategy === 'invalid') {
    const holds = [hold(request.reason, 'person', [], { problem: request.problem }, true)];
    // The template may go back meanwhile: what is offered would be a pod of the current one.
    return { ...nothing, holds, upgrade: withdrawAll(snapshot) };
  }
  if (request.strategy === 'none') return { ...nothing, holds: [], upgrade: withdrawAll(snapshot) };
  return { ...nothing, ...decideUpgrade(snapshot, request, now) };
}

/** Nothing is deleted, and no pod shows that it is outdated. */
function withdrawAll({ pods }: DaemonSetSnapshot): Upgrade {
  const noDeletions = { outdated: [], outdatedAgain: [], remembers: [] };
  const withdrawn = pods.filter((pod) => !isTerminating(pod));
  return { latest: undefined, nodes: [], tainted: [], ...noDeletions, offered: [], withdrawn };
}

type UpgradeDecision = Pick<DaemonSetDecision, 'holds'> & Partial<DaemonSetDecision>;

function decideUpgrade(
  snapshot: DaemonSetSnapshot,
  request: Extract<UpgradeRequest, { readonly strategy: 'ota' | 'rolling' }>,
  now: Instant,
): UpgradeDecision {
  const { owner, history, pods, nodes: all, finding, refused } = snapshot;
  const { object } = owner;
  const live = pods.filter((pod) => !isTerminating(pod));
  const latest = latestTemplate(object, history, live);
  if (latest === undefined) {
    const waitingUntil = 'the DaemonSet controller has recorded the current template';
    return { holds: [hold('TemplateNotSeen', 'time', [], { waitingUntil }, false)] };
  }
  const nodes = nodeTargets(object, pods, withoutLeftOut(object, pods, all, history), latest, now);
  const awaited = awaitedPods(nodes, finding);
  const tainted = taintedNodes(object, pods, all, latest);
  const waits = [
    ...taintedHolds(tainted),
    ...awaited,
    ...unendedHolds(nodes, now),
    ...uncertain(nodes, latest),
  ];
  const wanted = reachableOf(nodes).length;
  const inspect =
    awaited.length === 0 ? [] : inspectionOf('DaemonSet', object, wanted, namesOfAwaited(nodes));
  const decided = { latest, nodes, tainted };
  const requeueAt = (at: Instant | undefined): Instant | undefined =>
    earliestAfter(now, [at, ...nodes.map(({ availableAt }) => availableAt), ...overdueTimes(nodes)]);
  if (request.strategy === 'ota') {
    const asked = { paused: request.paused, refused, isCertain: latest.isCertain };
    const { holds, requeueAt: at, offered, ...more } = offers(nodes, live, asked, now);
    const shown = isRecorded(object) ? offered : [];
    return {
      holds: causesFirst([...holds, ...waits]),
      inspect,
      upgrade: { ...decided, ...more, offered: shown },
      requeueAt: requeueAt(at),
    };
  }
  const { holds, requeueAt: at, ...deletions } = decideDeletions(request, nodes, refused, now);
  return {
    holds: causesFirst([...holds, ...waits]),
    inspect,
    upgrade: { ...decided, ...deletions, offered: [], withdrawn: live },
    requeueAt: requeueAt(at),
  };
}

/** Where all that is known is done: that the latest template is the one in the spec is still to be seen. */
function uncertain(targets: readonly NodeTarget[], { isCertain }: LatestTemplate): readonly Hold[] {
  if (isCertain || targets.length === 0 || !targets.every(isDone)) return [];
  const waitingUntil =
    'the revision of the current template is read, or the DaemonSet controller counts all pods as updated';
  return [hold('TemplateNotSeen', 'time', [], { waitingUntil }, false)];
}

/** May last for days, and is no reason why a new pod fails: owners of nodes have not upgraded yet, or old pods stay under a taint. */
const lasting: ReadonlySet<Hold['reason']> = new Set(['UpgradeAvailable', 'NodeTainted']);

/** What a person has to do, then why new pods are not available, then what lasts, then the rest: the first goes into the conditions. */
function causesFirst(holds: readonly Hold[]): readonly Hold[] {
  const rank = ({ waitsFor, reason }: Hold): number =>
    lasting.has(reason) ? 2 : waitsFor === 'person' ? 0 : isCauseWord(reason) ? 1 : 3;
  return holds.toSorted((a, b) => rank(a) - rank(b));
}
