import { nodePools, type NodePool } from '@atoll/api';
import { ownField, type Reader } from '@atoll/kube';
import { isTerminating } from '../../children/child.ts';
import { definitionSeen, type InstalledDefinition } from '../../children/lost-with-definition.ts';
import { hold, joinHolds, type Hold } from '../../engine/hold.ts';
import { whyPoolMaybeLost } from '../../node-pool/lost-pools.ts';
import { seenAs } from '../../engine/steps/seen.ts';
import type { Seen } from '../../engine/step.ts';
import type { PlaceLeft } from '../children/children-to-delete.ts';
import type { Place, PlaceChild } from '../place.ts';

/**
 * The pools of children that are not selected, or are gone, as they were seen. A pool that cannot be read is none of them:
 * whether it is selected is not known.
 */
export function poolsLeft(
  children: readonly PlaceChild[],
  selected: readonly Place[],
  reader: Reader<NodePool>,
): Readonly<Record<string, Seen>> {
  const names = new Set(selected.map(({ name }) => name));
  const left: Record<string, Seen> = {};
  for (const { place } of children) {
    if (place === undefined || names.has(place)) continue;
    const found = reader.get({ name: place });
    if (found === undefined && reader.isUnreadable?.({ name: place }) === true) continue;
    left[place] = seenAs(nodePools, { name: place }, found);
  }
  return left;
}

/** A child whose pool is absent and may come back. */
export interface LostPool {
  readonly pool: string;
  readonly child: PlaceChild;
  /** Why nobody may have deleted the pool itself, in words. */
  readonly why: string;
}

/** The children of pools that may have gone with the definition of all pools. */
export function lostPools(
  children: readonly PlaceChild[],
  left: Readonly<Record<string, Seen>>,
  definition: InstalledDefinition,
): readonly LostPool[] {
  return children.flatMap((child): readonly LostPool[] => {
    const { place: pool = '', object } = child;
    const seen = ownField(left, pool);
    if (seen === undefined || seen.uid !== undefined || isTerminating(object)) return [];
    const why = whyPoolMaybeLost(object, definition);
    return why === undefined ? [] : [{ pool, child, why }];
  });
}

export function holdsOfLost(lost: readonly LostPool[]): readonly Hold[] {
  const holds = lost.map(({ pool, child: { kind, object }, why }) => {
    const { name } = object.metadata;
    const problem = `the NodePool ${pool} does not exist: ${why}. Restore the NodePool, or delete the ${kind} ${name}`;
    return hold('PoolNotFound', 'person', [pool], { problem }, true);
  });
  return joinHolds(holds);
}

/** What becomes of the child of such a pool: deleted, if live reads show that the pool is as it was seen, and did not go with its definition. */
export function ifPoolLeft(
  left: Readonly<Record<string, Seen>>,
  lost: readonly LostPool[],
  definition: InstalledDefinition,
): (pool: string, child: PlaceChild) => PlaceLeft | 'stays' {
  const staying = new Set(lost.map(({ child }) => child));
  return (pool, child) => {
    const seen = ownField(left, pool);
    if (seen === undefined || staying.has(child)) return 'stays';
    const isGone = seen.uid === undefined;
    const message = `pool ${pool} ${isGone ? 'does not exist' : 'is not selected'} any more`;
    const restsOn = isGone ? [seen, ...definitionSeen(definition)] : [seen];
    return { why: { word: 'PoolUnselected', message }, restsOn };
  };
}
