import { describeTaint, type TaintedNode } from '../../../engine/rollout/tainted-holds.ts';
import { keepingTaint } from './node-eligibility.ts';
import { isOf, type TargetsOf } from './node-targets.ts';
import { isBound } from '../pods-by-node.ts';

/** The nodes that are not to run a pod of the replica set, because of a taint that came later, and run one of another template. */
export function taintedNodes({
  replicaSet,
  same,
  nodes,
  pods,
}: Pick<TargetsOf, 'replicaSet' | 'same' | 'nodes' | 'pods'>): readonly TaintedNode[] {
  return nodes.flatMap(({ node, eligibility }) => {
    if (eligibility !== 'tainted') return [];
    const { name } = node.metadata;
    const kept = pods.get(name)?.kept;
    if (kept === undefined || !isBound(kept) || isOf(kept, same)) return [];
    return [{ node: name, taint: describeTaint(keepingTaint(replicaSet.spec.template, node)) }];
  });
}
