import {
  defaultPace,
  isApiError,
  ObjectCache,
  pauseAfter,
  sleep,
  systemClock,
  WatchDecoder,
} from '@atoll/kube';
import type { KubeObject, Resource, Stored, StreamEvent, StreamingClient, WatchEvent } from '@atoll/kube';
import { allFields, isFinal, type Watching } from './watching.ts';

/** Where the object is. */
interface Connection {
  readonly client: Pick<StreamingClient, 'get' | 'watch'>;
  readonly namespace: string;
}

/**
 * Follows one object, which is known. The rights to get and to watch it are enough, as for kubectl: not everybody who may read one object
 * may list. Resolves when the signal ends, rejects where the API server refuses.
 */
export async function watchOne<T extends KubeObject>(
  connection: Connection,
  resource: Resource<T>,
  known: Stored<T>,
  { changed, failed, signal }: Watching<T>,
): Promise<void> {
  // It takes nothing twice, and nothing that is older than what it has.
  const cache = new ObjectCache<T>({ resource });
  const take = (event: StreamEvent<T>): void => {
    for (const { type, object } of cache.apply(event)) changed({ type: changeTypes[type], object });
  };
  cache.apply({ type: 'ADDED', object: known });
  let shortLived = 0;
  let isFailing = false;
  while (!signal.aborted) {
    const begun = performance.now();
    let askedMs: number | undefined;
    try {
      for await (const event of eventsOf(connection, resource, known.metadata.name, signal)) {
        if (event !== 'absent') take(event);
        else for (const object of cache.list()) take({ type: 'DELETED', object });
      }
      isFailing = false;
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof Error) || isFinal(error)) throw error;
      if (!isFailing) failed(error);
      isFailing = true;
      if (isApiError(error)) askedMs = error.retryAfterMs;
    }
    shortLived = performance.now() - begun < defaultPace.healthyMs ? shortLived + 1 : 0;
    await sleep(systemClock, pauseAfter(shortLived + 1, askedMs, defaultPace, Math.random), signal);
  }
}

const changeTypes = { added: 'ADDED', updated: 'MODIFIED', deleted: 'DELETED' } as const;

/** Of one watch, until the server ends it: first how the object is now, `absent` where there is none. */
async function* eventsOf<T extends KubeObject>(
  { client, namespace }: Connection,
  resource: Resource<T>,
  name: string,
  signal: AbortSignal,
): AsyncGenerator<StreamEvent<T> | 'absent'> {
  // From about now: a watch from the version of an object that did not change for long is refused.
  const parameters = { namespace, fieldSelector: `metadata.name=${name}`, resourceVersion: '0' };
  const over = new AbortController();
  const options = { signal: AbortSignal.any([signal, over.signal]) };
  const { body } = await client.watch(resource, { ...parameters, timeoutSeconds: 300 }, options);
  try {
    // What was deleted before the watch began is in no event.
    yield await client.get(resource, { namespace, name }, options).then(
      (object) => ({ type: 'MODIFIED', object }) as const,
      (error: unknown) => {
        if (!isApiError(error, 'NotFound') || error.status === undefined) throw error;
        return 'absent' as const;
      },
    );
    yield* changesIn(body, resource);
  } finally {
    over.abort();
  }
}

async function* changesIn<T extends KubeObject>(
  body: AsyncIterable<Buffer>,
  resource: Resource<T>,
): AsyncGenerator<StreamEvent<T>> {
  const decoder = new WatchDecoder<T>(resource, allFields);
  for await (const chunk of body) {
    const events: WatchEvent<T>[] = [];
    decoder.push(chunk, (event) => events.push(event));
    for (const event of events) {
      if (event.type === 'BOOKMARK') continue;
      if (event.type === 'UNREADABLE') throw event.error;
      if (event.type !== 'ERROR') yield event;
      // The version is gone, which the next watch does not name.
      else if (event.status.code === 410) return;
      else throw new Error(event.status.message ?? 'the server ended the watch');
    }
  }
  if (decoder.pending > 0) throw new Error('the watch ended in the middle of an event');
}
