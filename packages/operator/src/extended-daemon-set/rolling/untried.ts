import type { Instant } from '@atoll/kube';
import type { Rolling } from './decide-rolling.ts';
import type { NodeTarget } from '../fleet/node-targets.ts';

/** For so long after a pod of a replica set was made the next one is believed to be taken too. */
const believedForMs = 60_000;

/**
 * The node whose pod is to be replaced first, where it is not known that the API server takes pods of the replica set: none was made lately. A quota,
 * a policy or the kind of the template may have changed since, or it is a new template, and who deletes first would leave the node empty.
 */
export function untried(
  { replicaSet, targets, deleted: [first] }: Pick<Rolling, 'replicaSet' | 'targets' | 'deleted'>,
  now: Instant,
): NodeTarget | undefined {
  if (first === undefined) return undefined;
  const { uid } = replicaSet.metadata;
  const isTaken = targets.some(({ pods: { kept, ending, ended } }) =>
    [...(kept === undefined ? [] : [kept]), ...ending, ...ended].some(
      ({ metadata }) =>
        Math.abs(now - Date.parse(metadata.creationTimestamp)) < believedForMs &&
        metadata.ownerReferences?.some((owner) => owner.uid === uid),
    ),
  );
  return isTaken ? undefined : first;
}
