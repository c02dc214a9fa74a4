import { fieldManagers, oldExtendedDaemonSetManager, type ExtendedDaemonSetReplicaSet } from '@atoll/api';
import type { Instant, Stored } from '@atoll/kube';

type Entry = NonNullable<Stored<ExtendedDaemonSetReplicaSet>['metadata']['managedFields']>[number];

/** A write of a replica set by somebody else who makes pods of it. */
export interface ForeignWrite {
  /** As the API server names the writer. */
  readonly by: string;
  readonly at: Instant;
  readonly replicaSet: string;
}

/** The last one of these replica sets. Written by people and their tools does not count: they set one condition of the status. */
export function lastForeignWrite(
  replicaSets: readonly Pick<Stored<ExtendedDaemonSetReplicaSet>, 'metadata'>[],
): ForeignWrite | undefined {
  let last: ForeignWrite | undefined;
  for (const { metadata } of replicaSets) {
    for (const entry of metadata.managedFields ?? []) {
      const at = isForeign(entry) ? Date.parse(entry.time ?? '') : NaN;
      if (at > (last?.at ?? -Infinity)) last = { by: entry.manager ?? '', at, replicaSet: metadata.name };
    }
  }
  return last;
}

/** The old operator by its name, also when it makes one; another by the status, which only who makes the pods writes as a whole. */
function isForeign({ manager = '', operation, subresource }: Entry): boolean {
  if (manager === oldExtendedDaemonSetManager) return true;
  const isOwn = manager === fieldManagers.atoll || manager.startsWith('kubectl');
  return subresource === 'status' && operation === 'Update' && !isOwn;
}
