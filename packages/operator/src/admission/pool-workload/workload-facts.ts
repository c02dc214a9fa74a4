import type { NodePool, PoolWorkload } from '@atoll/api';
import { compileSelector, InvalidSelectorError, selectorMatches } from '@atoll/kube';
import type { Reader, Stored } from '@atoll/kube';
import type { Readers } from '../../caches.ts';
import { isTerminating, type ChildWorkload } from '../../children/child.ts';
import { ownedChildren, servesPlace } from '../../places/owned-children.ts';
import { poolPlaces, type Child, type ChildKind } from '../../pool-workload/child.ts';
import { poolNamedBy } from '../../pool-workload/observe.ts';

/** What the admission of a workload reads. */
export type AdmissionReaders = Pick<Readers, 'nodePools' | 'deployments' | 'statefulSets'>;

/** What the caches hold about a workload: reads nothing else. */
export interface WorkloadFacts {
  /** In the order of their names; pools that are being deleted are not among them. */
  readonly pools: readonly Stored<NodePool>[];
  /** Live children that serve a known pool, of both kinds. */
  readonly children: readonly (Child & { readonly place: string })[];
}

/** undefined: the selector cannot be parsed, which the schema refuses. */
export function workloadFacts(
  workload: Stored<PoolWorkload>,
  readers: AdmissionReaders,
): WorkloadFacts | undefined {
  const pools = selectedPools(workload.spec, readers.nodePools);
  if (pools === undefined) return undefined;
  const { childKinds } = poolPlaces;
  const owned = ownedChildren(
    { object: workload },
    childKinds,
    (kind) => readerOf(readers, kind),
    poolNamedBy,
  );
  return { pools, children: owned.filter(servesPlace) };
}

function selectedPools(
  spec: PoolWorkload['spec'],
  nodePools: Reader<NodePool>,
): readonly Stored<NodePool>[] | undefined {
  try {
    const selector = compileSelector(spec.nodepoolSelector, 'spec.nodepoolSelector');
    return nodePools
      .list()
      .filter((pool) => !isTerminating(pool) && selectorMatches(selector, pool.metadata.labels));
  } catch (error) {
    if (error instanceof InvalidSelectorError) return undefined;
    throw error;
  }
}

function readerOf(readers: AdmissionReaders, kind: ChildKind): Reader<ChildWorkload> {
  return kind === 'Deployment' ? readers.deployments : readers.statefulSets;
}
