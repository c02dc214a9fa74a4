import { createInformer, type InformerOptions, type KubeObject, type Stored } from '@atoll/kube';
import { isFinal, type Watching } from './watching.ts';

/** Follows objects of a kind, of which these are known. Resolves when the signal ends, rejects where the API server refuses. */
export async function watchAll<T extends KubeObject>(
  of: Pick<InformerOptions<T>, 'client' | 'resource' | 'namespace' | 'labelSelector' | 'projection'>,
  known: readonly Stored<T>[],
  { changed, failed, signal }: Watching<T>,
): Promise<void> {
  const seen = new Map(known.map(({ metadata }) => [metadata.uid, metadata.resourceVersion]));
  const missing = new Set(seen.keys());
  const gone = (object: Stored<T>): void => {
    if (seen.delete(object.metadata.uid)) changed({ type: 'DELETED', object });
  };
  const refused = new AbortController();
  const observer = {
    failed: ({ error, failures }: { readonly error: Error; readonly failures: number }): void => {
      if (isFinal(error)) refused.abort(error);
      else if (failures === 1) failed(error);
    },
  };
  const informer = createInformer({ ...of, observer });
  informer.subscribe((events) => {
    for (const { type, object } of events) {
      const { uid, resourceVersion } = object.metadata;
      missing.delete(uid);
      if (type === 'deleted') gone(object);
      else if (seen.get(uid) !== resourceVersion) {
        seen.set(uid, resourceVersion);
        changed({ type: type === 'added' ? 'ADDED' : 'MODIFIED', object });
      }
    }
  });
  const stopped = informer.start(AbortSignal.any([signal, refused.signal]));
  await Promise.race([stopped, informer.synced.catch(() => undefined)]);
  // What was deleted before the watch began is in no event. The cache may be ahead of the events by now.
  if (informer.cache.synced) for (const object of known) if (missing.has(object.metadata.uid)) gone(object);
  await stopped;
  if (!signal.aborted) refused.signal.throwIfAborted();
}
