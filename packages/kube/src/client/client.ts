import type { KubeObject, ObjectKey, Stored } from '../objects/object.ts';
import type { Resource } from '../objects/resource.ts';

/** What every request takes. `timeoutMs` and `signal` hold from the call on, whatever the request waits for. */
export interface RequestOptions {
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds until the request counts as lost; the client's default is 36,000. */
  readonly timeoutMs?: number;
  /**
   * Milliseconds after which nothing of it is sent any more, by a process that was stopped meanwhile either, although its
   * answer is waited for: for a write that may be sent only now. Default: all of its time.
   */
  readonly sendWithinMs?: number;
  /** Tries in all, the first included; the client's default is 5. 1 returns every failure to the caller. */
  readonly attempts?: number;
}

/** Which objects are listed, and how. */
export interface ListOptions extends RequestOptions {
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** Page size; the client follows `continue` until the end. Default 500. */
  readonly limit?: number;
  /** Only the first page: at most `limit` objects. */
  readonly onePage?: boolean;
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan';
}

/** The objects of a list, and the version at which they were so. */
export interface ListResult<T extends KubeObject> {
  readonly resourceVersion: string;
  readonly items: readonly Stored<T>[];
}

/** What a write takes besides its object. */
export interface WriteOptions extends RequestOptions {
  readonly fieldManager?: string;
  readonly dryRun?: boolean;
  /** Default `Strict`: an unknown or doubled field is an error with its path. */
  readonly fieldValidation?: 'Strict' | 'Warn' | 'Ignore';
  /** `status`, `scale`, `eviction`, `binding`, `token`, … */
  readonly subresource?: string;
  /** Reads the object of the answer; default: all of it. Where it throws, the write is in doubt. */
  readonly read?: (answer: Buffer) => KubeObject;
}

/** What a server-side apply takes besides its object. */
export interface ApplyOptions extends WriteOptions {
  readonly fieldManager: string;
  /** Take over fields that another manager set to another value. */
  readonly force?: boolean;
}

/** A patch, by its type. */
export type Patch =
  | { readonly type: 'merge'; readonly body: unknown }
  | { readonly type: 'strategic'; readonly body: unknown }
  | { readonly type: 'json'; readonly body: readonly JsonPatchOperation[] };

/** One operation of a JSON patch (RFC 6902); paths are JSON pointers. */
export interface JsonPatchOperation {
  readonly op: 'add' | 'remove' | 'replace' | 'test' | 'move' | 'copy';
  readonly path: string;
  readonly from?: string;
  readonly value?: unknown;
}

/**
 * How an object is deleted. `uid` and `resourceVersion` are preconditions: where they do not fit it is a `Conflict`.
 */
export interface DeleteOptions extends RequestOptions {
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan';
  readonly gracePeriodSeconds?: number;
  readonly dryRun?: boolean;
}

/** The `scale` subresource (autoscaling/v1). */
export interface Scale extends KubeObject {
  readonly spec?: { readonly replicas?: number };
  readonly status?: { readonly replicas: number; readonly selector?: string };
}

/**
 * A typed client. Every method rejects with an `ApiError`, and with a `TypeError`, before anything is sent, where the key fits no object of the
 * resource: it has no name, or no namespace. Reads are tried again on 429, 5xx and connection
 * faults; writes only where the server certainly did nothing (429, or the request did not leave).
 */
export interface Client {
  get<T extends KubeObject>(
    resource: Resource<T>,
    key: ObjectKey,
    options?: RequestOptions,
  ): Promise<Stored<T>>;
  list<T extends KubeObject>(resource: Resource<T>, options?: ListOptions): Promise<ListResult<T>>;
  create<T extends KubeObject>(resource: Resource<T>, object: T, options?: WriteOptions): Promise<Stored<T>>;
  /** PUT; the object's resourceVersion, where given, is a precondition. */
  update<T extends KubeObject>(resource: Resource<T>, object: T, options?: WriteOptions): Promise<Stored<T>>;
  patch<T extends KubeObject>(
    resource: Resource<T>,
    key: ObjectKey,
    patch: Patch,
    options?: WriteOptions,
  ): Promise<Stored<T>>;
  /**
   * Server-side apply. Creates what is absent, unless `metadata.uid` is given. `metadata.resourceVersion`,
   * where given, is a precondition.
   */
  apply<T extends KubeObject>(
    resource: Resource<T>,
    object: object & KubeObject,
    options: ApplyOptions,
  ): Promise<Stored<T>>;
  /** Yields the object where deletion takes time (finalizers, grace), undefined where it is gone at once. */
  delete<T extends KubeObject>(
    resource: Resource<T>,
    key: ObjectKey,
    options?: DeleteOptions,
  ): Promise<Stored<T> | undefined>;
  getScale<T extends KubeObject>(
    resource: Resource<T>,
    key: ObjectKey,
    options?: RequestOptions,
  ): Promise<Stored<Scale>>;
  scale<T extends KubeObject>(
    resource: Resource<T>,
    key: ObjectKey,
    replicas: number,
    options?: WriteOptions,
  ): Promise<Stored<Scale>>;
}
