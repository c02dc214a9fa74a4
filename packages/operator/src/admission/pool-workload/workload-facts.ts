import type { PoolWorkload } from '@atoll/api';
import type { Stored } from '@atoll/kube';
import type { Readers } from '../../caches.ts';
import { ownedChildren, servesPlace } from '../../places/children/owned-children.ts';
import { selectPools, type SelectedPool } from '../../places/pools/select-pools.ts';
import { readerOf } from '../../places/reader-of.ts';
import { poolNamedBy, poolPlaces, type Child } from '../../pool-workload/child.ts';

/** What the admission of a workload reads. */
export type AdmissionReaders = Pick<Readers, 'nodePools' | 'deployments' | 'statefulSets'>;

/** What the caches hold about a workload: reads nothing else. */
export interface WorkloadFacts {
  /** In the order of their names; pools that are being deleted are not among them. */
  readonly pools: readonly SelectedPool[];
  /** Live children that serve a known pool, of both kinds. */
  readonly children: readonly (Child & { readonly place: string })[];
}

/** undefined: the selector cannot be parsed, which the schema refuses. */
export function workloadFacts(
  workload: Stored<PoolWorkload>,
  readers: AdmissionReaders,
): WorkloadFacts | undefined {
  const selected = selectPools(workload.spec.nodepoolSelector, readers.nodePools);
  if (!selected.ok) return undefined;
  const { childKinds } = poolPlaces;
  const owned = ownedChildren(
    { object: workload },
    childKinds,
    (kind) => readerOf(readers, kind),
    poolNamedBy,
  );
  const pools = selected.pools.filter(({ terminating }) => !terminating);
  return { pools, children: owned.filter(servesPlace) };
}
