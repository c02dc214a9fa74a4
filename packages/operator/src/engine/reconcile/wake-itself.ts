import { formatKey, keyOf } from '@atoll/kube';
import type { CacheEvent, KubeObject, Stored } from '@atoll/kube';
import type { Waking } from '../controller.ts';
import { sameJson } from '../same-meaning.ts';

/**
 * How a change of an object wakes the object itself. A spec that changed has another generation; of the rest only what people
 * say in the metadata is waited for.
 */
export function wakesItself(event: CacheEvent<KubeObject>): Waking {
  return event.type === 'updated' && changesOnlyStatus(event.old, event.object) ? 'in-time' : 'at-once';
}

/**
 * An object wakes itself, but not by the echo of its own status: that says what the pass knew that wrote it. `leadsOn`: whether
 * a plan may find something to do all the same, because it reads what changed.
 */
export function keysForItself<T extends KubeObject>(
  event: CacheEvent<T>,
  leadsOn: (old: Stored<T>, object: Stored<T>) => boolean,
): readonly string[] {
  const isNews =
    event.type !== 'updated' ||
    event.echo !== true ||
    !changesOnlyStatus(event.old, event.object) ||
    leadsOn(event.old, event.object);
  return isNews ? [formatKey(keyOf(event.object))] : [];
}

type Versioned = Pick<Stored<KubeObject>, 'metadata'>;

function changesOnlyStatus({ metadata: before }: Versioned, { metadata: now }: Versioned): boolean {
  return (
    before.uid === now.uid &&
    before.generation === now.generation &&
    before.deletionTimestamp === now.deletionTimestamp &&
    sameJson(before.annotations, now.annotations) &&
    sameJson(before.labels, now.labels)
  );
}
