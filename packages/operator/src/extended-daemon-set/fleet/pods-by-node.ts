import { byAge, isReady, type Pod, type Stored } from '@atoll/kube';
import { isTerminating } from '../../children/child.ts';
import { isFinished } from '../../children/pods/pod-facts.ts';
import { groupByNode } from '../../children/pods/placement/node-of-pod.ts';

/** The pods of one object on one node. */
export interface NodePods {
  /** The one that serves the node; undefined: there is none. */
  readonly kept: Stored<Pod> | undefined;
  /** Others that are to go because one is kept. */
  readonly duplicates: readonly Stored<Pod>[];
  /** Failed or Succeeded, and not being deleted yet; the newest first. */
  readonly ended: readonly Stored<Pod>[];
  /** Being deleted. */
  readonly ending: readonly Stored<Pod>[];
}

export const noPods: NodePods = { kept: undefined, duplicates: [], ended: [], ending: [] };

/**
 * The pods of an object by the node that they run on, or were made for. Of several on a node the one is kept that is bound to it, then one
 * that is Ready, then the oldest, then the first by name: the others are deleted at once, outside every budget, so none of them may be
 * what serves the node. A pod that names no node is left out.
 */
export function podsByNode(pods: readonly Stored<Pod>[]): ReadonlyMap<string, NodePods> {
  return new Map([...groupByNode(pods)].map(([node, all]) => [node, nodePods(all)]));
}

function nodePods(all: readonly Stored<Pod>[]): NodePods {
  const ending = all.filter(isTerminating);
  const present = all.filter((pod) => !isTerminating(pod));
  const ended = present.filter(isFinished).sort((a, b) => byAge(b, a));
  const [kept, ...duplicates] = present.filter((pod) => !isFinished(pod)).sort(servingFirst);
  return { kept, duplicates, ended, ending };
}

export function isBound({ spec }: Pod): boolean {
  return spec?.nodeName !== undefined && spec.nodeName !== '';
}

function servingFirst(a: Stored<Pod>, b: Stored<Pod>): number {
  return Number(isBound(b)) - Number(isBound(a)) || Number(isReady(b)) - Number(isReady(a)) || byAge(a, b);
}
