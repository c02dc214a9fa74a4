import type { Node } from '@atoll/kube';

/** The condition Ready of the kubelet. Unknown, as after a lost connection, is not ready. */
export function isReady(node: Pick<Node, 'status'>): boolean {
  return node.status?.conditions?.some((each) => each.type === 'Ready' && each.status === 'True') === true;
}
