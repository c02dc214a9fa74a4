import type { Instant } from '@atoll/kube';
import type { NodeTarget } from '../fleet/nodes/node-targets.ts';
import { variantOf } from '../overrides/pod-variant.ts';
import type { Rolling } from './decide-rolling.ts';
import { takenVariants } from './refusals/taken-variants.ts';

/** So many pods are tried for one batch; what waits for others is deleted with the next. */
const triedAtMost = 100;

/** Pods that are deleted together, and what the API server is asked before. */
export interface Batch {
  readonly deleted: readonly NodeTarget[];
  /** By variant, the node whose new pod is tried for all; none of a variant that is known to be taken. */
  readonly tried: ReadonlyMap<string, NodeTarget>;
  /** Nodes whose new pod is tried for them alone, because that of another node of their variant was refused. */
  readonly triedAlone: ReadonlySet<NodeTarget>;
}

/**
 * At most so many of the pods that may be deleted. It may not be known whether the API server takes what is to replace them: a policy may have
 * come since, or it is a new template or new overrides, and who deletes first would leave the node empty.
 */
export function batchOf(
  {
    replicaSet,
    targets,
    deleted,
    doubtful,
  }: Pick<Rolling, 'replicaSet' | 'targets' | 'deleted' | 'doubtful'>,
  atMost: number,
  now: Instant,
): Batch {
  const tried = new Map<string, NodeTarget>();
  const triedAlone = new Set<NodeTarget>();
  if (deleted.length === 0) return { deleted, tried, triedAlone };
  const taken = takenVariants(targets, replicaSet, { now });
  const inBatch = deleted.slice(0, atMost).filter((each) => {
    const variant = variantOf(each.overrides);
    const isDoubtful = doubtful.has(variant);
    if (!isDoubtful && (taken.has(variant) || tried.has(variant))) return true;
    if (tried.size + triedAlone.size === triedAtMost) return false;
    if (isDoubtful) triedAlone.add(each);
    else tried.set(variant, each);
    return true;
  });
  return { deleted: inBatch, tried, triedAlone };
}
