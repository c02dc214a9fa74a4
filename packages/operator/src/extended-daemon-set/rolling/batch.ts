import type { ExtendedDaemonSetReplicaSet } from '@atoll/api';
import type { Instant, Stored } from '@atoll/kube';
import { triedAgainAtMost } from '../../engine/rollout/deleted-in-turn.ts';
import type { NodeTarget } from '../fleet/node-targets.ts';
import { variantOf, variantOfPod } from '../overrides/pod-variant.ts';
import type { Rolling } from './decide-rolling.ts';

/** For so long a pod that was made proves that the API server takes the next one of its variant. */
const provesForMs = 60_000;

/** So many variants are tried for one batch; the pods of others wait for the next. */
const triedAtMost = 100;

/** Pods that are deleted together, and what the API server is asked before. */
export interface Batch {
  readonly deleted: readonly NodeTarget[];
  /** By variant, the node whose new pod is tried; none of a variant that is known to be taken. */
  readonly tried: ReadonlyMap<string, NodeTarget>;
}

/**
 * At most so many of the pods that may be deleted. It may not be known whether the API server takes what is to replace them: a policy may have
 * come since, or it is a new template or new overrides, and who deletes first would leave the node empty.
 */
export function batchOf(
  { replicaSet, targets, deleted }: Pick<Rolling, 'replicaSet' | 'targets' | 'deleted'>,
  atMost: number,
  now: Instant,
): Batch {
  const tried = new Map<string, NodeTarget>();
  if (deleted.length === 0) return { deleted, tried };
  const taken = takenVariants(targets, replicaSet, now);
  const inBatch = deleted.slice(0, atMost).filter((each) => {
    const variant = variantOf(each.overrides);
    if (taken.has(variant) || tried.has(variant)) return true;
    if (tried.size === triedAtMost) return false;
    tried.set(variant, each);
    return true;
  });
  return { deleted: inBatch, tried };
}

/** Of each variant that was refused and is tried again now, the first node whose pod stays because of it. */
export function triedAgain({ refused }: Pick<Rolling, 'refused'>): readonly NodeTarget[] {
  const byVariant = Map.groupBy(refused, ({ trial }) => trial);
  return [...byVariant.values()].slice(0, triedAgainAtMost).flatMap(([first]) => first?.node ?? []);
}

/** Variants of which the replica set made a pod lately. */
function takenVariants(
  targets: readonly NodeTarget[],
  { metadata: { uid } }: Stored<ExtendedDaemonSetReplicaSet>,
  now: Instant,
): ReadonlySet<string> {
  const taken = new Set<string>();
  for (const { pods } of targets) {
    const { kept, ending, ended } = pods;
    for (const pod of [...(kept === undefined ? [] : [kept]), ...ending, ...ended]) {
      const { creationTimestamp, ownerReferences } = pod.metadata;
      const isRecent = Math.abs(now - Date.parse(creationTimestamp)) < provesForMs;
      if (isRecent && ownerReferences?.some((owner) => owner.uid === uid)) taken.add(variantOfPod(pod));
    }
  }
  return taken;
}
