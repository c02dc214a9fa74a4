import { ApiError, keyOf } from '@atoll/kube';
import type { Condition } from '@atoll/api';
import type {
  ApplyOptions,
  KubeObject,
  ListOptions,
  ListResult,
  ObjectKey,
  Patch,
  Resource,
  Stored,
} from '@atoll/kube';
import type { ExecutorClient } from '../../src/engine/executor/requests/requests.ts';
import type { Request } from '../../src/engine/executor/requests/request.ts';
import { serve } from './api-server.ts';
import { listed } from './listing.ts';
import { emptyStore, seed, slotOf, storedOf } from './store.ts';
import type { Operation } from './api-server.ts';
import type { Store } from './store.ts';

/** What happens to one request instead of being served: decided by a test, in the order of arrival. */
export type Mishap = 'lost-after' | 'lost-before' | ApiError | undefined;

/** A client over the model of the API server, whose network a test decides about. */
export class ModelClient implements ExecutorClient {
  store: Store = emptyStore;
  /** Every request that was sent, in order. */
  readonly sent: Operation[] = [];
  mishap: (request: Operation) => Mishap = () => undefined;
  /** Resolves when the request may go on: for tests of what runs at the same time. */
  gate: (request: Operation) => Promise<void> = () => Promise.resolve();
  open = 0;
  mostOpen = 0;
  #uids = 0;

  put<T extends KubeObject>(resource: Resource<T>, object: T): Stored<T> {
    this.#uids += 1;
    this.store = seed(this.store, resource, object, `uid-${this.#uids}`, '2026-01-01T00:00:00Z');
    return this.stored(resource, keyOf(object));
  }

  stored<T extends KubeObject>(resource: Resource<T>, key: ObjectKey): Stored<T> {
    const held = this.store.objects.get(slotOf(resource, key));
    if (held === undefined) throw new Error(`no ${resource.kind} ${key.name}`);
    return storedOf(held) as unknown as Stored<T>;
  }

  async get<T extends KubeObject>(resource: Resource<T>, key: ObjectKey): Promise<Stored<T>> {
    return this.#object(await this.send({ verb: 'get', resource, key }));
  }

  /** Not among what is sent, and never lost. */
  async list<T extends KubeObject>(
    resource: Resource<T>,
    { namespace = '', labelSelector = '' }: ListOptions = {},
  ): Promise<ListResult<T>> {
    const { version } = this.store;
    const items = listed(this.store, { resource, namespace, labelSelector });
    return Promise.resolve({ resourceVersion: String(version), items: items as readonly Stored<T>[] });
  }

  async create<T extends KubeObject>(
    resource: Resource<T>,
    object: T,
    { dryRun }: { readonly dryRun?: boolean } = {},
  ): Promise<Stored<T>> {
    const without = dryRun === true ? ({ dryRun } as const) : {};
    return this.#object(await this.send({ verb: 'create', resource, object, ...without }));
  }

  async createByApply<T extends KubeObject>(
    resource: Resource<T>,
    object: object & KubeObject,
  ): Promise<Stored<T>> {
    return this.#object(await this.send({ verb: 'create-by-apply', resource, object }));
  }

  async apply<T extends KubeObject>(
    resource: Resource<T>,
    object: object & KubeObject,
    options?: ApplyOptions,
  ): Promise<Stored<T>> {
    if (options?.subresource === 'status') {
      const { uid = '' } = object.metadata;
      const { conditions = [] } =
        (object as { readonly status?: { readonly conditions?: readonly Condition[] } }).status ?? {};
      const { fieldManager } = options;
      const key = keyOf(object);
      return this.#object(
        await this.send({ verb: 'apply-conditions', resource, key, uid, conditions, fieldManager }),
      );
    }
    const without = options?.dryRun === true ? ({ dryRun: true } as const) : {};
    return this.#object(await this.send({ verb: 'apply', resource, object, ...without }));
  }

  async patch<T extends KubeObject>(
    resource: Resource<T>,
    key: ObjectKey,
    patch: Patch,
    { subresource }: { readonly subresource?: string } = {},
  ): Promise<Stored<T>> {
    return this.#object(
      await this.send({
        verb: 'patch',
        resource,
        key,
        patch,
        ...(subresource === undefined ? {} : { subresource }),
      }),
    );
  }

  async delete<T extends KubeObject>(
    resource: Resource<T>,
    key: ObjectKey,
    {
      uid,
      resourceVersion,
      propagationPolicy,
    }: Extract<Request, { readonly verb: 'delete' }>['options'] = {},
  ): Promise<Stored<T> | undefined> {
    const options = {
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
      ...(propagationPolicy === undefined ? {} : { propagationPolicy }),
    };
    const answer = await this.send({ verb: 'delete', resource, key, options });
    return answer as unknown as Stored<T> | undefined;
  }

  async send(operation: Operation): Promise<Stored<KubeObject> | undefined> {
    this.sent.push(operation);
    this.open += 1;
    this.mostOpen = Math.max(this.mostOpen, this.open);
    try {
      await this.gate(operation);
      return this.#serve(operation);
    } finally {
      this.open -= 1;
    }
  }

  #serve(operation: Operation): Stored<KubeObject> | undefined {
    const mishap = this.mishap(operation);
    if (mishap instanceof ApiError) throw mishap;
    if (mishap === 'lost-before') throw lost(operation);
    const served = serve(this.store, operation, {
      newUid: () => `uid-${(this.#uids += 1)}`,
      now: '2026-01-01T00:00:00Z',
    });
    this.store = served.store;
    if (mishap === 'lost-after') throw lost(operation);
    if (!served.answer.ok) throw served.answer.error;
    return served.answer.object;
  }

  #object<T extends KubeObject>(object: Stored<KubeObject> | undefined): Stored<T> {
    if (object === undefined) throw new Error('the model answered without an object');
    return object as unknown as Stored<T>;
  }
}

function lost(operation: Operation): ApiError {
  return new ApiError({
    fate: 'in-doubt',
    code: 0,
    reason: 'Timeout',
    attempted: operation.verb,
    message: 'no answer within 30 s',
  });
}
