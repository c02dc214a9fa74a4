import { compareTexts, type Instant, type Pod, type Stored } from '@atoll/kube';
import { hold } from '../../engine/hold.ts';
import type { RefusedTrials } from '../../engine/refused-trials.ts';
import { untilGone, untilNodeBack } from '../../engine/rollout/choose-targets.ts';
import { isAtWanted } from '../../engine/rollout/target.ts';
import { joinTargetHolds } from '../../engine/rollout/target-hold.ts';
import type { DaemonSetDecision, Upgrade } from '../decide.ts';
import { awayHolds, reachableOf } from '../nodes/awaited-pods.ts';
import { nodeOf } from '../../children/pods/placement/node-of-pod.ts';
import type { NodeTarget } from '../nodes/node-targets.ts';
import { decideDeletions } from './deletions.ts';
import { holdRule } from './rolling-limits.ts';
import type { RollingUpgrade } from './upgrade-request.ts';

type DecidedOffers = Pick<Upgrade, 'offered' | 'withdrawn' | 'outdated' | 'outdatedAgain' | 'remembers'> &
  Pick<DaemonSetDecision, 'holds' | 'requeueAt'>;

/**
 * The pods whose owners decide, and the others: those on nodes where the DaemonSet controller would make no pod again, which would be without one, those
 * that are to stay, and those that are bound to no node. No agent sees the last ones, so Atoll deletes them where they are outdated.
 */
export function offers(
  nodes: readonly NodeTarget[],
  live: readonly Stored<Pod>[],
  { paused, refused, isCertain }: OffersRequest,
  now: Instant,
): DecidedOffers {
  const rule = holdRule(paused);
  const held = new Map(nodes.map(({ target }) => [target.id, rule(target, now)]));
  const isFree = ({ target: { id } }: NodeTarget): boolean => held.get(id) === undefined;
  const outdated = nodes
    .filter(({ target, pod }) => pod !== undefined && !isAtWanted(target))
    .toSorted((a, b) => compareTexts(a.target.id, b.target.id));
  const unbound = outdated.filter((each) => isFree(each) && isUnbound(each));
  const nobodys = new Set(unbound.map(({ pod }) => pod));
  const isOffered = (pod: Stored<Pod>): boolean => {
    const node = nodeOf(pod);
    return node !== undefined && held.has(node) && held.get(node) === undefined && !nobodys.has(pod);
  };
  const stay = outdated.flatMap(({ target: { id } }) => {
    const why = held.get(id);
    return why === undefined ? [] : [[id, why] as const];
  });
  const going = nodes
    .filter(({ target }) => target.health === 'gone' && target.at !== 'nothing' && !isAtWanted(target))
    .map(
      ({ target }) => [target.id, target.reach === 'reachable' ? untilGone : untilNodeBack(target)] as const,
    );
  const open = outdated
    .filter((each) => isFree(each) && !nobodys.has(each.pod))
    .map(({ target }) => target.id);
  const problem = 'pods do not run the current template';
  const waitingUntil = 'the owners of the nodes upgrade them';
  const available = hold('UpgradeAvailable', 'person', open, { problem, waitingUntil }, false);
  const there = reachableOf(unbound);
  const untilBack = unbound
    .filter(({ target }) => target.reach !== 'reachable')
    .map(({ target }) => [target.id, untilNodeBack(target)] as const);
  const deletions = isCertain ? decideDeletions(all, there, refused, now) : uncertain(there);
  return {
    ...deletions,
    holds: [
      ...joinTargetHolds(stay),
      ...(open.length === 0 ? [] : [available]),
      ...deletions.holds,
      ...joinTargetHolds([...going, ...untilBack, ...awayHolds(nodes)]),
    ],
    offered: live.filter((pod) => isOffered(pod)),
    // An offer on a pod that goes is no matter: to take it off would be a change, after which the pod is not as it was seen.
    withdrawn: live.filter((pod) => !isOffered(pod) && !nobodys.has(pod)),
  };
}

interface OffersRequest {
  readonly paused: boolean;
  readonly refused: RefusedTrials;
  /** Whether the newest revision is known to be that of the template in the spec. */
  readonly isCertain: boolean;
}

/** What is bound to no node serves nobody: nothing limits its deletion. */
const all: RollingUpgrade = {
  strategy: 'rolling',
  maxUnavailable: '100%',
  paused: false,
  awayCountsForMs: 0,
  evicts: false,
};

/** The scheduler has found no node for it, or not yet. */
function isUnbound({ pod }: NodeTarget): boolean {
  return (pod?.spec?.nodeName ?? '') === '';
}

/** What comes in their place may be as outdated: they would be deleted without end. */
function uncertain(unbound: readonly NodeTarget[]): Omit<DecidedOffers, 'offered' | 'withdrawn'> {
  const ids = unbound.map(({ target }) => target.id);
  const waitingUntil = 'the revision of the current template is read';
  const holds = ids.length === 0 ? [] : [hold('TemplateNotSeen', 'time', ids, { waitingUntil }, false)];
  return { outdated: [], outdatedAgain: [], remembers: [], holds, requeueAt: undefined };
}
