import { annotations, labels } from '@atoll/api';
import type { KubeObject } from '@atoll/kube';

/** The key that looks after nodes which left their pool. No pool can have this name. */
export const leaversKey = '(left)';

/**
 * The pool whose key looks after a node, the same for every reader of it: the pool that its label names, whether that
 * pool exists or not; without a label, but with something that a pool left there, {@link leaversKey}.
 */
export function poolKeyOf(node: KubeObject): string | undefined {
  const pool = poolOf(node);
  if (pool !== undefined) return pool;
  return node.metadata.annotations?.[annotations.previousAttributes] === undefined ? undefined : leaversKey;
}

/** The pool that a node belongs to. An empty label names none. */
export function poolOf(node: KubeObject): string | undefined {
  const pool = node.metadata.labels?.[labels.nodePool];
  return pool === '' ? undefined : pool;
}
