import { ApiError, formatKey, groupResourceOf, isApiError } from '@atoll/kube';
import type {
  ApplyOptions,
  Client,
  KubeObject,
  ObjectKey,
  Resource,
  Stored,
  WriteThroughCache,
} from '@atoll/kube';
import type { Listing } from '../../plan.ts';
import type { Listed, Live } from '../commands.ts';
import type { Answer, Request } from './request.ts';

/** What the executor needs of a client. */
export interface ExecutorClient extends Pick<
  Client,
  'get' | 'list' | 'create' | 'patch' | 'apply' | 'delete'
> {
  /** Server-side apply that only creates: `AlreadyExists` (or `Conflict`) where the name is taken. */
  createByApply<T extends KubeObject>(
    resource: Resource<T>,
    object: object & KubeObject,
    options: ApplyOptions,
  ): Promise<Stored<T>>;
}

export interface RequestsOptions {
  readonly client: ExecutorClient;
  readonly fieldManager: string;
}

/** Sends requests that are data; an answer is data too. */
export class Requests {
  readonly #options: RequestsOptions;

  constructor(options: RequestsOptions) {
    this.#options = options;
  }

  /** `cache`: holds what is written. Never rejects. */
  async send(request: Request, signal: AbortSignal, cache?: WriteThroughCache<KubeObject>): Promise<Answer> {
    try {
      const object = await this.#call(request, signal, cache);
      if (object !== undefined && !isStored(object, request)) throw noObject(request);
      return { ok: true, object };
    } catch (error) {
      return { ok: false, error: error instanceof ApiError ? error : unexpected(request, error) };
    }
  }

  /** Never rejects. */
  async read(resource: Resource<KubeObject>, key: ObjectKey, signal: AbortSignal): Promise<Live> {
    const answer = await this.send({ verb: 'get', resource, key }, signal);
    if (answer.ok) return { live: answer.object };
    return isApiError(answer.error, 'NotFound') ? { live: undefined } : { error: answer.error };
  }

  /** Never rejects. */
  async list({ resource, ...options }: Listing, signal: AbortSignal): Promise<Listed> {
    try {
      const { items } = await this.#options.client.list(resource, { ...options, signal });
      return { listed: items };
    } catch (error) {
      return { error: error instanceof ApiError ? error : unexpected({ verb: 'list', resource }, error) };
    }
  }

  async #call(
    request: Request,
    signal: AbortSignal,
    cache: WriteThroughCache<KubeObject> | undefined,
  ): Promise<Stored<KubeObject> | undefined> {
    const { client, fieldManager } = this.#options;
    const { resource } = request;
    // The answer to a dry run has no version, so it is no object as caches hold them.
    const reading = 'dryRun' in request ? { dryRun: true } : readingOf(cache);
    const options = { signal, fieldManager, ...reading };
    switch (request.verb) {
      case 'get':
        return client.get(resource, request.key, { signal });
      case 'create':
        return client.create(resource, request.object, options);
      case 'create-by-apply':
        return client.createByApply(resource, request.object, { ...options, force: true });
      case 'apply':
        return client.apply(resource, request.object, { ...options, force: true });
      case 'patch': {
        const { subresource } = request;
        const where = subresource === undefined ? {} : { subresource };
        return client.patch(resource, request.key, request.patch, { ...options, ...where });
      }
      case 'apply-conditions': {
        const { key, uid, conditions, fieldManager: manager } = request;
        const object = { metadata: { ...key, uid }, status: { conditions } };
        const status = { subresource: 'status', fieldManager: manager, force: true };
        return client.apply(resource, object, { ...options, ...status });
      }
      case 'delete':
        return request.evict === true
          ? this.#evict(request, signal)
          : client.delete(resource, request.key, { signal, ...request.options });
    }
  }

  /** Yields the pod as it is then, ending; undefined: it is gone. One try: what a budget refuses is asked again by the next plan. */
  async #evict(
    { resource, key, options: { uid, resourceVersion } }: Extract<Request, { readonly verb: 'delete' }>,
    signal: AbortSignal,
  ): Promise<Stored<KubeObject> | undefined> {
    const { client } = this.#options;
    const preconditions = {
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    };
    const eviction = {
      apiVersion: 'policy/v1',
      kind: 'Eviction',
      metadata: key,
      deleteOptions: { preconditions },
    };
    await client.create(resource, eviction as KubeObject, { signal, subresource: 'eviction', attempts: 1 });
    const read = await this.read(resource, key, signal);
    // It was evicted, and how it is now is to be found out.
    if ('error' in read)
      throw evictedUnread(`evict ${groupResourceOf(resource)} ${formatKey(key)}`, read.error);
    return read.live?.metadata.uid === uid ? read.live : undefined;
  }
}

/** What nobody keeps of an answer is not read. */
function readingOf(cache: WriteThroughCache<KubeObject> | undefined): {
  readonly read?: (answer: Buffer) => Stored<KubeObject>;
} {
  return cache?.decode === undefined ? {} : { read: cache.decode.bind(cache) };
}

function evictedUnread(attempted: string, read: ApiError): ApiError {
  const { code, reason } = read;
  const message = `it was evicted, and how it is now is not known: ${read.message}`;
  return new ApiError({ fate: 'in-doubt', code, reason, message, attempted, cause: read });
}

/** Something between here and the API server may answer with JSON of its own. The answer to a dry run has no version. */
function isStored(object: Stored<KubeObject>, request: Request): boolean {
  const { metadata } = object as Partial<Stored<KubeObject>>;
  if (typeof metadata?.name !== 'string') return false;
  const isDryRun = 'dryRun' in request;
  return isDryRun || (typeof metadata.uid === 'string' && typeof metadata.resourceVersion === 'string');
}

function noObject(request: Request): ApiError {
  return new ApiError({
    fate: request.verb === 'get' ? 'refused' : 'in-doubt',
    code: 200,
    reason: 'InvalidAnswer',
    attempted: `${request.verb} ${groupResourceOf(request.resource)}`,
    message: 'the answer is no object of Kubernetes; does something between here and the API server answer?',
  });
}

/** A client that rejects with anything but an ApiError is a defect; what it did on the server is unknown. */
function unexpected(
  { verb, resource }: { readonly verb: string; readonly resource: Resource<KubeObject> },
  error: unknown,
): ApiError {
  const message = error instanceof Error ? error.message : String(error);
  const attempted = `${verb} ${groupResourceOf(resource)}`;
  return new ApiError({
    fate: 'in-doubt',
    code: 0,
    reason: 'InternalError',
    attempted,
    message,
    cause: error,
  });
}
