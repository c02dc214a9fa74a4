import type { IncomingHttpHeaders } from 'node:http';
import type { ApplyOptions, Client, RequestOptions } from './client.ts';
import type { KubeObject, Stored } from '../objects/object.ts';
import type { Resource } from '../objects/resource.ts';

/** Query of a watch: https://kubernetes.io/docs/reference/using-api/api-concepts/#efficient-detection-of-changes */
export interface WatchParameters {
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: 'NotOlderThan';
  /** WatchList: the stream begins with the present content, then a bookmark. */
  readonly sendInitialEvents?: boolean;
  readonly allowWatchBookmarks?: boolean;
  /** Seconds after which the server ends the watch. */
  readonly timeoutSeconds?: number;
}

/**
 * A response whose body arrives while it is read, no faster. Iteration rejects with an `ApiError`
 * when the connection breaks (`NetworkError`) or the signal ends (`Aborted`); leaving the loop closes the socket.
 */
export interface StreamingResponse {
  readonly code: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: AsyncIterable<Buffer>;
}

/** What a watch takes. Its `timeoutMs` is for the headers. */
export interface WatchOptions extends RequestOptions {
  /** A media type; default `application/json`. */
  readonly accept?: string;
}

/** A request by its path. */
export interface RawRequest extends RequestOptions {
  /** Default GET. */
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** It changes nothing on the server, so it is tried again like every read. Default: whether it is a GET. */
  readonly readOnly?: boolean;
  /** Path and query below the server's URL: `/readyz?verbose`. */
  readonly path: string;
  readonly body?: string;
  readonly contentType?: string;
  readonly accept?: string;
}

/** A 2xx answer as it came. */
export interface RawResponse {
  readonly code: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** The client below its types: watch streams as bytes, and whatever else the API server serves. */
export interface StreamingClient extends Client {
  /**
   * Opens a watch on a connection of its own. Resolves with the headers, once they came within `timeoutMs`; rejects
   * with an `ApiError` where the server refuses (410 `Expired`, 403, 429, …) or does not answer. Nothing is retried.
   */
  watch<T extends KubeObject>(
    resource: Resource<T>,
    parameters: WatchParameters,
    options?: WatchOptions,
  ): Promise<StreamingResponse>;
  /** Server-side apply that only creates; `AlreadyExists` where the name is taken. */
  createByApply<T extends KubeObject>(
    resource: Resource<T>,
    object: object & KubeObject,
    options: ApplyOptions,
  ): Promise<Stored<T>>;
  /** Any request. Resolves with a 2xx answer, rejects with an `ApiError`. */
  raw(request: RawRequest): Promise<RawResponse>;
  /** Ends what is under way and closes all sockets. Later requests are refused as `Closed`. */
  close(): Promise<void>;
}
