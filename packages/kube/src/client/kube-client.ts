import type {
  ApplyOptions,
  DeleteOptions,
  ListOptions,
  ListResult,
  Patch,
  RequestOptions,
  Scale,
  WriteOptions,
} from './client.ts';
import { goJson } from '../values/go-json.ts';
import { jsonText } from '../values/json-text.ts';
import { formatKey, keyOf, type KubeObject, type ObjectKey, type Stored } from '../objects/object.ts';
import { apiVersionOf, groupResourceOf, type Resource } from '../objects/resource.ts';
import type {
  RawRequest,
  RawResponse,
  StreamingClient,
  StreamingResponse,
  WatchOptions,
  WatchParameters,
} from './streaming-client.ts';
import type { Method } from '../transport/dispatch.ts';
import type { Transport, TransportRequest } from '../transport/transport.ts';
import { createByApply } from './create-by-apply.ts';
import { isBeingDeleted } from './deletion-answer.ts';
import { listAll } from './list-all.ts';
import { parseAnswer, parseDeletion, parseList, parseObject } from './parse-answer.ts';
import { collectionPath, objectPath, withQuery, type Query } from './request-path.ts';

const patchContentTypes: Readonly<Record<Patch['type'], string>> = {
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  json: 'application/json-patch+json',
};

/** {@link StreamingClient} over a {@link Transport}: paths, queries and bodies of the Kubernetes API. */
export class KubeClient implements StreamingClient {
  readonly #transport: Transport;
  readonly #fieldManager: string;

  constructor(transport: Transport, fieldManager: string) {
    this.#transport = transport;
    this.#fieldManager = fieldManager;
  }

  async get<T extends KubeObject>(
    resource: Resource<T>,
    key: ObjectKey,
    options?: RequestOptions,
  ): Promise<Stored<T>> {
    return this.#object<T>(resource, 'GET', 'get', key, objectPath(resource, key), options);
  }

  async list<T extends KubeObject>(resource: Resource<T>, options: ListOptions = {}): Promise<ListResult<T>> {
    const path = collectionPath(resource, options.namespace);
    const attempted = `list ${groupResourceOf(resource)}${options.namespace === undefined ? '' : ` in ${options.namespace}`}`;
    return listAll(resource, options, attempted, async (query) => {
      const request = this.#request(resource, 'GET', attempted, withQuery(path, query), options);
      return parseList(await this.#transport.send(request), request);
    });
  }

  async create<T extends KubeObject>(
    resource: Resource<T>,
    object: T,
    options?: WriteOptions,
  ): Promise<Stored<T>> {
    const key = keyOf(object);
    const path =
      options?.subresource === undefined
        ? collectionPath(resource, namespaceOf(resource, object))
        : objectPath(resource, key, options.subresource);
    return this.#write<T>(resource, 'POST', 'create', key, path, typed(resource, object, options), options);
  }

  async update<T extends KubeObject>(
    resource: Resource<T>,
    object: T,
    options?: WriteOptions,
  ): Promise<Stored<T>> {
    const key = keyOf(object);
    const path = objectPath(resource, key, options?.subresource);
    return this.#write<T>(resource, 'PUT', 'update', key, path, typed(resource, object, options), options);
  }

  async patch<T extends KubeObject>(
    resource: Resource<T>,
    key: ObjectKey,
    patch: Patch,
    options?: WriteOptions,
  ): Promise<Stored<T>> {
    const path = objectPath(resource, key, options?.subresource);
    return this.#write<T>(
      resource,
      'PATCH',
      'patch',
      key,
      path,
      patch.body,
      options,
      patchContentTypes[patch.type],
    );
  }

  async apply<T extends KubeObject>(
    resource: Resource<T>,
    object: object & KubeObject,
    options: ApplyOptions,
  ): Promise<Stored<T>> {
    const key = keyOf(object);
    const path = objectPath(resource, key, options.subresource);
    const query = options.force === undefined ? {} : { force: options.force };
    // JSON is YAML, so the body needs no other writer.
    const contentType = 'application/apply-patch+yaml';
    const body = typed(resource, object, options);
    return this.#write<T>(resource, 'PATCH', 'apply', key, path, body, options, contentType, query);
  }

  async createByApply<T extends KubeObject>(
    resource: Resource<T>,
    object: object & KubeObject,
    options: ApplyOptions,
  ): Promise<Stored<T>> {
    return createByApply(this, resource, object, options);
  }

  async delete<T extends KubeObject>(
    resource: Resource<T>,
    key: ObjectKey,
    options: DeleteOptions = {},
  ): Promise<Stored<T> | undefined> {
    const { uid, resourceVersion, propagationPolicy, gracePeriodSeconds, dryRun } = options;
    const body = {
      kind: 'DeleteOptions',
      apiVersion: 'v1',
      ...(uid === undefined && resourceVersion === undefined
        ? {}
        : { preconditions: { uid, resourceVersion } }),
      ...(propagationPolicy === undefined ? {} : { propagationPolicy }),
      ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
      ...(dryRun === true ? { dryRun: ['All'] } : {}),
    };
    const request = {
      ...this.#request(
        resource,
        'DELETE',
        describe('delete', resource, key),
        objectPath(resource, key),
        options,
      ),
      body: JSON.stringify(body),
      contentType: 'application/json',
    };
    const answer = parseDeletion<KubeObject>(await this.#transport.send(request), request);
    return isBeingDeleted(answer) ? (answer as Stored<T>) : undefined;
  }

  async getScale<T extends KubeObject>(
    resource: Resource<T>,
    key: ObjectKey,
    options?: RequestOptions,
  ): Promise<Stored<Scale>> {
    return this.#object<Scale>(
      resource,
      'GET',
      'get scale of',
      key,
      objectPath(resource, key, 'scale'),
      options,
    );
  }

  async scale<T extends KubeObject>(
    resource: Resource<T>,
    key: ObjectKey,
    replicas: number,
    options?: WriteOptions,
  ): Promise<Stored<Scale>> {
    const path = objectPath(resource, key, 'scale');
    const body = { spec: { replicas } };
    return this.#write<Scale>(resource, 'PATCH', 'scale', key, path, body, options, patchContentTypes.merge);
  }

  async watch<T extends KubeObject>(
    resource: Resource<T>,
    parameters: WatchParameters,
    options: WatchOptions = {},
  ): Promise<StreamingResponse> {
    const { namespace, ...query } = parameters;
    const path = withQuery(collectionPath(resource, namespace), { watch: true, ...query });
    const attempted = `watch ${groupResourceOf(resource)}${namespace === undefined ? '' : ` in ${namespace}`}`;
    return this.#transport.stream({
      attempted,
      path,
      ...options,
    });
  }

  async raw(request: RawRequest): Promise<RawResponse> {
    const { method = 'GET', readOnly = method === 'GET', ...rest } = request;
    const attempted = `${method} ${request.path}`;
    return this.#transport.send({
      ...rest,
      method,
      attempted,
      readOnly,
      lane: 'requests',
    });
  }

  async close(): Promise<void> {
    await this.#transport.close();
  }

  async #write<R extends KubeObject>(
    resource: Resource<KubeObject>,
    method: Method,
    verb: string,
    key: ObjectKey,
    path: string,
    body: unknown,
    options: WriteOptions = {},
    contentType = 'application/json',
    query: Query = {},
  ): Promise<Stored<R>> {
    const full = withQuery(path, {
      fieldManager: options.fieldManager ?? this.#fieldManager,
      fieldValidation: options.fieldValidation ?? 'Strict',
      dryRun: options.dryRun === true ? 'All' : undefined,
      ...query,
    });
    const what = options.subresource === undefined ? verb : `${verb} ${options.subresource} of`;
    const text = resource.keepsBytes === true ? goJson(body) : jsonText(body);
    const content = { body: text, contentType };
    return this.#object<R>(resource, method, what, key, full, options, content, options.read);
  }

  async #object<R extends KubeObject>(
    resource: Resource<KubeObject>,
    method: Method,
    verb: string,
    key: ObjectKey,
    path: string,
    options?: RequestOptions & Pick<WriteOptions, 'subresource'>,
    content: { readonly body?: string; readonly contentType?: string } = {},
    read?: WriteOptions['read'],
  ): Promise<Stored<R>> {
    const request = {
      ...this.#request(resource, method, describe(verb, resource, key), path, options, key),
      ...content,
    };
    const answer = await this.#transport.send(request);
    // What is done with an object, as an eviction, may be answered with a Status.
    const isAct = method === 'POST' && options?.subresource !== undefined;
    return isAct ? parseAnswer(answer, request, read) : parseObject(answer, request, read);
  }

  #request(
    resource: Resource<KubeObject>,
    method: Method,
    attempted: string,
    path: string,
    options: RequestOptions = {},
    key?: ObjectKey,
  ): TransportRequest {
    return {
      method,
      path,
      attempted,
      readOnly: method === 'GET',
      // The renewal of one lease never waits behind lists; a list of leases is a list.
      lane: key !== undefined && resource.group === 'coordination.k8s.io' ? 'leases' : 'requests',
      timeoutMs: options.timeoutMs,
      sendWithinMs: options.sendWithinMs,
      signal: options.signal,
      attempts: options.attempts,
    };
  }
}

function describe(verb: string, resource: Resource<KubeObject>, key: ObjectKey): string {
  return `${verb} ${groupResourceOf(resource)} ${formatKey(key)}`;
}

/** The server wants apiVersion and kind; descriptors know them, so callers need not repeat them. */
function typed(
  resource: Resource<KubeObject>,
  object: KubeObject,
  options: WriteOptions | undefined,
): KubeObject {
  if (options?.subresource !== undefined && options.subresource !== 'status') return object;
  return { ...object, apiVersion: apiVersionOf(resource), kind: resource.kind };
}

function namespaceOf(resource: Resource<KubeObject>, object: KubeObject): string | undefined {
  const { namespace, name } = object.metadata;
  if (resource.namespaced && namespace === undefined) {
    throw new TypeError(`${groupResourceOf(resource)} ${name} needs a namespace`);
  }
  return namespace;
}
