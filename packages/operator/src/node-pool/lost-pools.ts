import { fieldManagers, nodePools, oldFieldManagers } from '@atoll/api';
import { instantOf } from '@atoll/kube';
import type { Instant, KubeObject } from '@atoll/kube';
import { whyMaybeLost, type InstalledDefinition } from '../children/lost-with-definition.ts';

/**
 * Where the pool of this object is absent: why it may have gone with the definition of all pools, in words; undefined: somebody deleted the pool itself. An
 * object that was written for its pool after the definition was made shows that the pool was there since then.
 */
export function whyPoolMaybeLost(object: KubeObject, definition: InstalledDefinition): string | undefined {
  return whyMaybeLost(nodePools, definition, lastWrite(object));
}

/** By Atoll; where it has not written it, by an old operator, which has other duties too; where none has, when it was made. */
function lastWrite({ metadata: { creationTimestamp, managedFields = [] } }: KubeObject): Instant {
  const of = (isOne: (manager: string) => boolean) =>
    managedFields.filter(({ manager = '' }) => isOne(manager)).map(({ time }) => time);
  const ours = of((manager) => manager === fieldManagers.atoll);
  const times = ours.length > 0 ? ours : of((manager) => oldFieldManagers.includes(manager));
  return Math.max(...[creationTimestamp, ...times].map((time) => instantOf(time) ?? 0));
}
