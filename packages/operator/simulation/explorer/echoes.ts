import type { CacheContent } from '../model/caches.ts';
import type { State } from './state.ts';
import type { WatchEvent } from '../model/store.ts';

/** Events that a faster response has made empty become echoes: all that is left of them is that they enqueue keys. */
export function withEchoes(state: State): State {
  let pending = state.pending;
  let echoes = state.echoes;
  for (const [resource, events] of state.pending) {
    const kept: WatchEvent[] = [];
    for (const event of events) {
      if (isEmpty(event, state.caches)) echoes = new Map(echoes).set(event.slot, event);
      else kept.push(event);
    }
    if (kept.length !== events.length) pending = new Map(pending).set(resource, kept);
  }
  // With the stream of deletions known, a tombstone has nothing left to keep out.
  const caches =
    state.caches.tombstones.size === 0 ? state.caches : { ...state.caches, tombstones: new Set<string>() };
  return { ...state, pending, echoes, caches };
}

function isEmpty(event: WatchEvent, caches: CacheContent): boolean {
  const { uid } = event.object.metadata;
  if (caches.tombstones.has(uid ?? '')) return true;
  const held = caches.known.get(event.slot);
  return (
    event.type !== 'DELETED' &&
    held?.object.metadata.uid === uid &&
    held !== undefined &&
    held.version >= event.version
  );
}
