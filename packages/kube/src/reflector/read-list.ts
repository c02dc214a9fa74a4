import { setImmediate as nextTurn } from 'node:timers/promises';
import { PageTokens } from '../client/page-tokens.ts';
import { collectionPath, withQuery } from '../client/request-path.ts';
import { ListDecoder } from '../decoder/list-decoder.ts';
import type { Known } from '../decoder/object-decoder.ts';
import { mediaTypeFor, type Projection } from '../decoder/projection.ts';
import type { UnreadableObject } from '../decoder/unreadable-object.ts';
import type { KubeObject, Stored } from '../objects/object.ts';
import { groupResourceOf, type Resource } from '../objects/resource.ts';
import type { StreamingClient } from '../client/streaming-client.ts';

export interface ListRequest<T extends KubeObject> {
  readonly client: Pick<StreamingClient, 'raw'>;
  readonly resource: Resource<T>;
  readonly projection: Projection<T>;
  readonly known?: Known<T>;
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  readonly pageSize: number;
  /** Milliseconds for each page. */
  readonly answerMs: number;
}

export interface ListedContent<T extends KubeObject> {
  readonly resourceVersion: string;
  readonly items: readonly Stored<T>[];
  /** Items that cannot be read. */
  readonly unreadable: readonly UnreadableObject[];
}

/** Bytes that are decoded before other work gets its turn. */
const sliceBytes = 512 * 1024;

/**
 * The present content, page by page, each decoded in its bytes. Consistent: no older than the moment of the request.
 * Where the pages expire on the way (410, after five minutes), all is asked for once more in one piece, as client-go's
 * pager does. Rejects with an `ApiError` or a `DecodeError`.
 */
export async function readList<T extends KubeObject>(
  request: ListRequest<T>,
  signal: AbortSignal,
): Promise<ListedContent<T>> {
  const { client, resource, namespace, labelSelector, fieldSelector, pageSize, answerMs } = request;
  const accept = mediaTypeFor(request.projection, 'list');
  const tokens = new PageTokens(
    `list ${groupResourceOf(resource)}${namespace === undefined ? '' : ` in ${namespace}`}`,
  );
  let items: Stored<T>[] = [];
  let unreadable: UnreadableObject[] = [];
  let limit: number | undefined = pageSize;
  let token: string | undefined;
  for (;;) {
    const query = { labelSelector, fieldSelector, limit, continue: token };
    const path = withQuery(collectionPath(resource, namespace), query);
    let body: Buffer;
    try {
      // The reflector paces its requests itself; the client shall not add its own.
      ({ body } = await client.raw({ path, accept, attempts: 1, timeoutMs: answerMs, signal }));
    } catch (error) {
      if (!tokens.beginsAnew(error)) throw error;
      items = [];
      unreadable = [];
      limit = undefined;
      token = undefined;
      continue;
    }
    const decoder = new ListDecoder(resource, request.projection, request.known);
    for (let at = 0; at < body.length; at += sliceBytes) {
      if (at > 0) await nextTurn();
      decoder.push(
        body.subarray(at, at + sliceBytes),
        (object) => items.push(object),
        (object) => unreadable.push(object),
      );
    }
    const end = decoder.finish();
    if (end.continue === undefined) return { resourceVersion: end.resourceVersion, items, unreadable };
    token = tokens.next(end.continue);
  }
}
