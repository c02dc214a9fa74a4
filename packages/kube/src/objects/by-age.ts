import type { KubeObject, Stored } from './object.ts';

/** Orders objects of one namespace: the oldest first; of equals, which is common within one second, the first by name. */
export function byAge({ metadata: a }: Stored<KubeObject>, { metadata: b }: Stored<KubeObject>): number {
  if (a.creationTimestamp !== b.creationTimestamp) return a.creationTimestamp < b.creationTimestamp ? -1 : 1;
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}
