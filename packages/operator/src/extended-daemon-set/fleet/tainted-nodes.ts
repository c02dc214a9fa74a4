import type { Node, PodTemplateSpec, Stored, Taint } from '@atoll/kube';
import { hold, joinHolds, type Hold } from '../../engine/hold.ts';
import { keepingTaint } from './node-eligibility.ts';
import { isOf, type TargetsOf } from './node-targets.ts';
import { isBound } from './pods-by-node.ts';

/** A node on which a pod of another template runs and stays, because none can be made in its place. */
export interface TaintedNode {
  readonly node: string;
  /** As `kubectl describe node` shows it. */
  readonly taint: string;
}

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
    return [{ node: name, taint: taintOf(replicaSet.spec.template, node) }];
  });
}

/** One hold with the taint of the first. */
export function taintedHolds(nodes: readonly TaintedNode[]): readonly Hold[] {
  return joinHolds(
    nodes.map(({ node, taint }) => {
      const problem =
        `its pod of another template stays, because the template does not tolerate the taint ${taint}, so that none can be made in its ` +
        'place. Remove the taint, tolerate it in the template, or delete the pod';
      return hold('NodeTainted', 'person', [node], { problem }, false);
    }),
  );
}

function taintOf(template: PodTemplateSpec, node: Stored<Node>): string {
  const taint: Taint | undefined = keepingTaint(template, node);
  if (taint === undefined) return 'of the node';
  const { key, value = '', effect } = taint;
  return `${key}${value === '' ? '' : `=${value}`}:${effect}`;
}
