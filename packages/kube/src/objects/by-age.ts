import { compareTexts } from '../values/compare-texts.ts';
import type { KubeObject, Stored } from './object.ts';

/** Orders objects of one namespace: the oldest first; of equals, which is common within one second, the first by name. */
export function byAge({ metadata: a }: Stored<KubeObject>, { metadata: b }: Stored<KubeObject>): number {
  return compareTexts(a.creationTimestamp, b.creationTimestamp) || compareTexts(a.name, b.name);
}
