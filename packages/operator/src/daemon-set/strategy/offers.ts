import type { Instant, Pod, Stored } from '@atoll/kube';
import { hold, type Hold } from '../../engine/hold.ts';
import { untilGone } from '../../engine/rollout/choose-targets.ts';
import { isAtWanted } from '../../engine/rollout/target.ts';
import { joinTargetHolds } from '../../engine/rollout/target-hold.ts';
import type { Upgrade } from '../decide.ts';
import { awayHolds } from '../nodes/awaited-pods.ts';
import { nodeOf, type NodeTarget } from '../nodes/node-targets.ts';
import { holdRule } from './rolling-limits.ts';

/**
 * The pods whose owners decide, and the others: those on nodes where the DaemonSet controller would make no pod again, which would be without one, and
 * those that are to stay.
 */
export function offers(
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
  const problem = 'pods do not run the current template';
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
