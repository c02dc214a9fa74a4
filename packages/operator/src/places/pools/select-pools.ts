import type { NodePool } from '@atoll/api';
import { compareTexts, compileSelector, InvalidSelectorError, selectorMatches } from '@atoll/kube';
import type { LabelSelector, Reader, Stored, Taint } from '@atoll/kube';
import { isTerminating } from '../../children/child.ts';
import { typeLabelsOf } from '../../node-pool/nodes/type-labels.ts';
import type { Place, PlaceChild } from '../place.ts';

/** A pool that an object selects. */
export interface SelectedPool extends Place {
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly Taint[];
  /** {@link countOfNodes} */
  readonly nodes: number | undefined;
  /** Being deleted: it keeps the child that it has until it is gone, and gets no other. */
  readonly terminating: boolean;
}

/** `problem`: why the selector cannot be understood, with its field. */
export type SelectedPools =
  | { readonly ok: true; readonly pools: readonly SelectedPool[] }
  | { readonly ok: false; readonly problem: string };

const field = 'spec.nodepoolSelector';

/**
 * The pools whose labels match `spec.nodepoolSelector`, in the order of their names. An absent selector is a problem and not
 * "none": nothing may be deleted because a field is missing.
 */
export function selectPools(
  selector: LabelSelector | null | undefined,
  nodePools: Reader<NodePool>,
): SelectedPools {
  if (selector === undefined || selector === null) return { ok: false, problem: `${field} is missing` };
  try {
    const compiled = compileSelector(selector, field);
    const pools = nodePools.list().filter((pool) => selectorMatches(compiled, labelsOfPool(pool)));
    return { ok: true, pools: pools.map(readPool).sort((a, b) => compareTexts(a.name, b.name)) };
  } catch (error) {
    if (!(error instanceof InvalidSelectorError)) throw error;
    return { ok: false, problem: error.message };
  }
}

/** Without pools that are being deleted and have no child. */
export function poolsInUse(
  pools: readonly SelectedPool[],
  children: readonly PlaceChild[],
): readonly SelectedPool[] {
  const served = new Set(children.filter(({ object }) => !isTerminating(object)).map(({ place }) => place));
  return pools.filter((pool) => !pool.terminating || served.has(pool.name));
}

/** With those of its type, which it keeps: a pool that somebody has just replaced without them is still of that type. */
export function labelsOfPool(pool: Pick<NodePool, 'metadata' | 'spec'>): Readonly<Record<string, string>> {
  return { ...pool.metadata.labels, ...typeLabelsOf(pool) };
}

/** As its status counts them, ready or not; undefined: nobody counts. */
export function countOfNodes({ status }: NodePool): number | undefined {
  const { readyNodeNum, unreadyNodeNum } = status ?? {};
  if (readyNodeNum === undefined && unreadyNodeNum === undefined) return undefined;
  return (readyNodeNum ?? 0) + (unreadyNodeNum ?? 0);
}

function readPool(pool: Stored<NodePool>): SelectedPool {
  const { name, labels = {} } = pool.metadata;
  return {
    name,
    labels,
    taints: pool.spec?.taints ?? [],
    nodes: countOfNodes(pool),
    terminating: isTerminating(pool),
  };
}
