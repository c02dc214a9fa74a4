import type { Finding } from '../../causes/finding.ts';
import { awaitedNames } from '../../children/pods/awaited-names.ts';
import { causeHold } from '../../children/pods-hold.ts';
import { hold, type Hold } from '../../engine/hold.ts';
import { untilNodeBack } from '../../engine/rollout/choose-targets.ts';
import { isAtWanted, type Target } from '../../engine/rollout/target.ts';
import type { HeldTargets } from '../../engine/rollout/target-hold.ts';
import type { NodeTarget } from './node-targets.ts';

/**
 * Nodes that are reachable and whose pod of the current template is not available, or not there; with the cause where it was found
 * in one of these pods, or is that none can be created.
 */
export function awaitedPods(nodes: readonly NodeTarget[], finding: Finding | undefined): readonly Hold[] {
  const waiting = waitingOf(nodes);
  if (waiting.length === 0) return [];
  const ids = waiting.map(({ target }) => target.id).sort();
  const names = new Set(namesOfAwaited(nodes));
  const isOfThese = finding?.pods.length === 0 || finding?.pods.some((name) => names.has(name)) === true;
  const otherwise = hold('WaitingForReady', 'health', ids, { waitingUntil: 'the pods are available' }, false);
  return [causeHold(isOfThese ? finding : undefined, otherwise)];
}

/** The names of those pods that are there. */
export function namesOfAwaited(nodes: readonly NodeTarget[]): readonly string[] {
  return awaitedNames(waitingOf(nodes).flatMap(({ pod }) => pod ?? []));
}

function waitingOf(nodes: readonly NodeTarget[]): readonly NodeTarget[] {
  return reachableOf(nodes).filter(({ target }) => isWithoutCurrentPod(target));
}

/** Its pod of the current template is not available, or there is none at all. */
function isWithoutCurrentPod(target: Target): boolean {
  return target.at === 'nothing' || (isAtWanted(target) && target.health !== 'healthy');
}

export function reachableOf(nodes: readonly NodeTarget[]): readonly NodeTarget[] {
  return nodes.filter(({ target }) => target.reach === 'reachable');
}

/** Nodes that are away and have no available pod of the current template: nobody makes or starts one there. */
export function awayHolds(nodes: readonly NodeTarget[]): HeldTargets {
  return nodes
    .filter(({ target }) => target.reach !== 'reachable' && isWithoutCurrentPod(target))
    .map(({ target }) => [target.id, untilNodeBack(target)] as const);
}
