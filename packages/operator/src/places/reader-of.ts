import type { OptionalReader, Reader } from '@atoll/kube';
import type { Readers } from '../caches.ts';
import type { ChildWorkload } from '../children/child.ts';

/** The cache that holds the children of a kind. */
export const cacheOf = {
  Deployment: 'deployments',
  StatefulSet: 'statefulSets',
  AdvancedStatefulSet: 'advancedStatefulSets',
  CloneSet: 'cloneSets',
} as const satisfies Readonly<Record<string, keyof Readers>>;

type CacheOf = typeof cacheOf;

/** The readers of the kinds that children can be of. */
export type ChildReaders<Kind extends keyof CacheOf> = Pick<Readers, CacheOf[Kind]>;

/** Kinds that are always there have no `served` and no `unreadable`. */
export function readerOf<Kind extends keyof CacheOf>(
  readers: ChildReaders<Kind>,
  kind: Kind,
): Reader<ChildWorkload> & Partial<OptionalReader<ChildWorkload>> {
  return readers[cacheOf[kind]] as Reader<ChildWorkload>;
}

/** Whether there can be children of this kind: those of OpenKruise need not be installed. */
export function isServed<Kind extends keyof CacheOf>(readers: ChildReaders<Kind>, kind: Kind): boolean {
  return readerOf(readers, kind).served ?? true;
}
