import { isApiError, ObjectCache, sleep, systemClock } from '@atoll/kube';
import type { ApiStatus, KubeObject, Resource, Stored, StreamEvent } from '@atoll/kube';
import type { Connection } from '../../program/connection.ts';
import { isFinal, type Watching } from './watching.ts';

const [firstPauseMs, longestPauseMs] = [250, 30_000];
/** A watch that was open for so long was a success. */
const healthyMs = 10_000;

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
    let askedMs = 0;
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
      askedMs = isApiError(error) ? (error.retryAfterMs ?? 0) : 0;
    }
    shortLived = performance.now() - begun < healthyMs ? shortLived + 1 : 0;
    const pauseMs = Math.min(firstPauseMs * 2 ** shortLived, longestPauseMs);
    await sleep(systemClock, Math.max(pauseMs, askedMs), signal);
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
  const { body } = await client.watch(resource, { ...parameters, timeoutSeconds: 300 }, { signal });
  try {
    // What was deleted before the watch began is in no event.
    yield { type: 'MODIFIED', object: await client.get(resource, { namespace, name }, { signal }) };
  } catch (error) {
    if (!isApiError(error, 'NotFound') || error.status === undefined) throw error;
    yield 'absent';
  }
  for await (const line of linesOf(body)) {
    const event = JSON.parse(line) as
      StreamEvent<T> | { readonly type: 'ERROR'; readonly object: ApiStatus } | { readonly type: 'BOOKMARK' };
    if (event.type === 'BOOKMARK') continue;
    if (event.type !== 'ERROR') yield event;
    // The version is gone, which the next watch does not name.
    else if (event.object.code === 410) return;
    else throw new Error(event.object.message ?? 'the server ended the watch');
  }
}

async function* linesOf(body: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield* lines.filter((line) => line !== '');
  }
  if (rest !== '') throw new Error('the watch ended in the middle of an event');
}
