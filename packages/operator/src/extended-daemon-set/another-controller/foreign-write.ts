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

/** Those of these replica sets. Written by people and their tools does not count: they set one condition of the status. */
export function foreignWrites(
  replicaSets: readonly Pick<Stored<ExtendedDaemonSetReplicaSet>, 'metadata'>[],
): readonly ForeignWrite[] {
  return replicaSets.flatMap(({ metadata: { name, managedFields = [] } }) =>
    managedFields.filter(isForeign).flatMap(({ manager: by = '', time = '' }): readonly ForeignWrite[] => {
      const at = Date.parse(time);
      return Number.isNaN(at) ? [] : [{ by, at, replicaSet: name }];
    }),
  );
}

/** The last one, of those that were made by then. */
export function lastForeignWrite(
  writes: readonly ForeignWrite[],
  by: Instant = Infinity,
): ForeignWrite | undefined {
  let last: ForeignWrite | undefined;
  for (const write of writes) if (write.at <= by && write.at > (last?.at ?? -Infinity)) last = write;
  return last;
}

/** The old operator by its name, also when it makes one; another by the status, which only who makes the pods writes as a whole. */
function isForeign({ manager = '', operation, subresource }: Entry): boolean {
  if (manager === oldExtendedDaemonSetManager) return true;
  const isOwn = manager === fieldManagers.atoll || manager.startsWith('kubectl');
  return subresource === 'status' && operation === 'Update' && !isOwn;
}
