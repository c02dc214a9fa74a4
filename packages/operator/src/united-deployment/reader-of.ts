import type { OptionalReader, Reader } from '@atoll/kube';
import type { Readers } from '../caches.ts';
import type { ChildWorkload } from '../children/child.ts';
import { kindFacts, type ChildKind } from './child-kind.ts';

/** The readers of the kinds that children can be of. */
export type ChildReaders = Pick<
  Readers,
  'deployments' | 'statefulSets' | 'advancedStatefulSets' | 'cloneSets'
>;

/** Kinds that are always there have no `served` and no `unreadable`. */
export function readerOf(
  readers: ChildReaders,
  kind: ChildKind,
): Reader<ChildWorkload> & Partial<OptionalReader<ChildWorkload>> {
  return readers[kindFacts[kind].reader] as Reader<ChildWorkload>;
}

/** Whether there can be children of this kind: those of OpenKruise need not be installed. */
export function isServed(readers: ChildReaders, kind: ChildKind): boolean {
  return readerOf(readers, kind).served ?? true;
}
