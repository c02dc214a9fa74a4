import type { ExtendedDaemonSetReplicaSet } from '@atoll/api';
import type { Instant, Stored } from '@atoll/kube';
import type { NodeTarget } from '../../fleet/nodes/node-targets.ts';
import { variantOfPod } from '../../overrides/pod-variant.ts';

/** For so long a pod that was made proves that the API server takes the next one of its variant. */
const provesForMs = 60_000;

/** Variants of which the replica set made a pod lately: within the last minute, or since its last batch. */
export function takenVariants(
  targets: readonly NodeTarget[],
  { metadata: { uid } }: Stored<ExtendedDaemonSetReplicaSet>,
  { lastBatchAt, now }: { readonly lastBatchAt?: Instant | undefined; readonly now: Instant },
): ReadonlySet<string> {
  const lately = Math.max(provesForMs, now - (lastBatchAt ?? now));
  const taken = new Set<string>();
  for (const { pods } of targets) {
    const { kept, ending, ended } = pods;
    for (const pod of [...(kept === undefined ? [] : [kept]), ...ending, ...ended]) {
      const { creationTimestamp, ownerReferences } = pod.metadata;
      const isRecent = Math.abs(now - Date.parse(creationTimestamp)) < lately;
      if (isRecent && ownerReferences?.some((owner) => owner.uid === uid)) taken.add(variantOfPod(pod));
    }
  }
  return taken;
}
