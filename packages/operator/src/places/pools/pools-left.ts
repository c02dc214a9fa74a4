import { nodePools, type NodePool } from '@atoll/api';
import { ownField, type Reader } from '@atoll/kube';
import { seenAs } from '../../engine/steps/seen.ts';
import type { Seen } from '../../engine/step.ts';
import type { PlaceLeft } from '../children-to-delete.ts';
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

/** What becomes of the child of such a pool: deleted, if a live read shows the pool as it was seen. */
export function ifPoolLeft(left: Readonly<Record<string, Seen>>): (pool: string) => PlaceLeft | 'stays' {
  return (pool) => {
    const seen = ownField(left, pool);
    if (seen === undefined) return 'stays';
    const isGone = seen.uid === undefined;
    const message = `pool ${pool} ${isGone ? 'does not exist' : 'is not selected'} any more`;
    return { why: { word: 'PoolUnselected', message }, restsOn: [seen] };
  };
}
