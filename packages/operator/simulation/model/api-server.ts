import { ApiError, keyOf } from '@atoll/kube';
import type { KubeObject, ObjectKey, Resource, Stored } from '@atoll/kube';
import type { Answer, Request } from '../../src/engine/executor/requests/request.ts';
import { sameJson } from '../../src/engine/same-meaning.ts';
import { deepFreeze, isJsonObject } from './json.ts';
import type { Json, JsonObject } from './json.ts';
import { standingOf } from './definitions.ts';
import { hasGeneration, slotOf, storedOf } from './store.ts';
import type { Held, JsonLike, Store, WatchEvent } from './store.ts';
import { applyFields, jsonPatch, mergePatch, strategicPatch } from './patches.ts';

/** Requests of the operator, and those of people and other controllers. */
export type Operation =
  | Request
  | {
      readonly verb: 'update';
      readonly resource: Resource<KubeObject>;
      readonly object: KubeObject;
      readonly subresource?: 'status';
    }
  /** An object comes with its status: several writes of others that nothing distinguishes. */
  | { readonly verb: 'put'; readonly resource: Resource<KubeObject>; readonly object: KubeObject }
  | {
      readonly verb: 'delete-now';
      readonly resource: Resource<KubeObject>;
      readonly key: ObjectKey;
      readonly uid: string;
    };

/** What the model cannot know by itself. */
export interface Surroundings {
  readonly newUid: (slot: string) => string;
  /** What the server appends to a `generateName`. */
  readonly newSuffix?: (slotPrefix: string) => string;
  /** RFC 3339. */
  readonly now: string;
  /** Resources that are served only while their CustomResourceDefinition, which the store holds, stands. */
  readonly optional?: readonly Resource<KubeObject>[];
  /** Admission, quota, RBAC, overload: an error refuses the operation without effect. */
  readonly refuse?: (operation: Operation) => ApiError | undefined;
}

export interface Served {
  readonly store: Store;
  readonly answer: Answer;
  readonly events: readonly WatchEvent[];
}

/**
 * A model of the API server, exact where controllers can see a difference (`reference/reliability.md` 2.2): a pure function from a
 * store and an operation to the next store, the answer and the watch events. Serves one operation, atomically.
 */
export function serve(store: Store, operation: Operation, around: Surroundings): Served {
  const refusal = operation.verb === 'get' ? undefined : around.refuse?.(operation);
  if (refusal !== undefined) return { store, answer: { ok: false, error: refusal }, events: [] };
  const unserved = refusalOf(store, operation, around.optional ?? []);
  if (unserved !== undefined) return { store, answer: { ok: false, error: unserved }, events: [] };
  const write = new Write(store, named(operation, around), around);
  return write.serve();
}

/** Nothing is served without a definition, and nothing more is made under one that is being deleted. */
function refusalOf(
  store: Store,
  operation: Operation,
  optional: readonly Resource<KubeObject>[],
): ApiError | undefined {
  const { resource, verb } = operation;
  if (!optional.includes(resource)) return undefined;
  const standing = standingOf(store.objects, resource);
  const attempted = `${verb} ${resource.kind}`;
  if (standing === 'absent') {
    const message = 'the server could not find the requested resource';
    return new ApiError({ fate: 'refused', code: 404, reason: 'NotServed', attempted, message });
  }
  const isThere = store.objects.has(
    slotOf(resource, 'key' in operation ? operation.key : keyOf(operation.object)),
  );
  const creates = verb === 'create' || verb === 'create-by-apply' || verb === 'put';
  if (standing === 'stands' || !(creates || (verb === 'apply' && !isThere))) return undefined;
  const message = 'create not allowed while custom resource definition is terminating';
  return new ApiError({ fate: 'refused', code: 403, reason: 'Forbidden', attempted, message });
}

/** A `generateName` becomes a name. */
function named(operation: Operation, around: Surroundings): Operation {
  if (operation.verb !== 'create' && operation.verb !== 'create-by-apply') return operation;
  const { name, generateName, namespace } = operation.object.metadata;
  if (name !== '' || generateName === undefined) return operation;
  const prefix = slotOf(
    operation.resource,
    namespace === undefined ? { name: generateName } : { namespace, name: generateName },
  );
  const metadata = {
    ...operation.object.metadata,
    name: `${generateName}${around.newSuffix?.(prefix) ?? '1'}`,
  };
  return { ...operation, object: { ...operation.object, metadata } };
}

class Write {
  readonly #store: Store;
  readonly #operation: Operation;
  readonly #around: Surroundings;
  readonly #slot: string;
  readonly #held: Held | undefined;

  constructor(store: Store, operation: Operation, around: Surroundings) {
    this.#store = store;
    this.#operation = operation;
    this.#around = around;
    this.#slot = slotOf(operation.resource, 'key' in operation ? operation.key : keyOf(operation.object));
    this.#held = store.objects.get(this.#slot);
  }

  serve(): Served {
    const operation = this.#operation;
    const held = this.#held;
    switch (operation.verb) {
      case 'get':
        return held === undefined ? this.#refuse(404, 'NotFound', 'not found') : this.#unchanged(held);
      case 'create':
        if (held !== undefined) return this.#refuse(409, 'AlreadyExists', 'already exists');
        return operation.dryRun === true
          ? this.#withoutEffect(this.#create(operation.object, undefined))
          : this.#create(operation.object, undefined);
      case 'create-by-apply':
        if (held !== undefined) return this.#refuse(409, 'AlreadyExists', 'already exists');
        return this.#create(operation.object, appliedConfig(operation.object));
      case 'put':
        if (held !== undefined) return this.#refuse(409, 'AlreadyExists', 'already exists');
        return this.#create(operation.object, undefined, (operation.object as JsonLike).status);
      case 'apply':
        return operation.dryRun === true
          ? this.#withoutEffect(this.#apply(operation.object))
          : this.#apply(operation.object);
      case 'apply-conditions':
        return this.#applyConditions(operation);
      case 'patch':
        return this.#patch(operation);
      case 'update':
        return this.#update(operation.object, operation.subresource);
      case 'delete':
        return this.#delete(operation.options);
      case 'delete-now':
        if (held === undefined) return this.#refuse(404, 'NotFound', 'not found');
        if (held.object.metadata.uid !== operation.uid) return this.#refuse(409, 'Conflict', 'uid differs');
        return this.#remove(held);
    }
  }

  #create(object: KubeObject, applied: JsonObject | undefined, kept?: unknown): Served {
    if (object.metadata.uid !== undefined) return this.#refuse(409, 'Conflict', 'uid given, no object');
    const { resourceVersion: _, ...given } = object.metadata;
    const { status: _status, ...rest } = object as KubeObject & JsonLike;
    const metadata = {
      ...given,
      uid: this.#around.newUid(this.#slot),
      creationTimestamp: this.#around.now,
      ...(hasGeneration(this.#operation.resource) ? { generation: 1 } : {}),
    };
    const status = kept === undefined ? {} : { status: kept };
    return this.#put({ ...rest, metadata, ...status }, applied, 'ADDED');
  }

  #apply(object: KubeObject): Served {
    const held = this.#held;
    if (held === undefined) return this.#create(object, appliedConfig(object));
    const { uid, resourceVersion } = object.metadata;
    if (resourceVersion !== undefined && resourceVersion !== String(held.version)) {
      return this.#refuse(409, 'Conflict', 'the object has been modified');
    }
    if (uid !== undefined && uid !== held.object.metadata.uid) {
      return this.#refuse(422, 'Invalid', 'metadata.uid: field is immutable', 'metadata.uid');
    }
    const config = appliedConfig(object);
    const merged = applyFields(asJson(held.object), held.applied, config);
    return this.#change(held, merged, undefined, config);
  }

  /** Conditions in the status of an object whose spec is not applied by the same manager. */
  #applyConditions({ uid, conditions }: Extract<Operation, { readonly verb: 'apply-conditions' }>): Served {
    const held = this.#held;
    if (held === undefined) return this.#refuse(404, 'NotFound', 'not found');
    // Of a custom resource the server takes the metadata of the stored object before it compares them.
    if (uid !== held.object.metadata.uid && !isCustom(this.#operation.resource)) {
      return this.#refuse(422, 'Invalid', 'metadata.uid: field is immutable', 'metadata.uid');
    }
    const config = asJson({ status: { conditions } });
    const merged = applyFields(asJson(held.object), held.applied, config);
    return this.#change(held, merged, 'status', config);
  }

  #patch(operation: Extract<Operation, { readonly verb: 'patch' }>): Served {
    const held = this.#held;
    if (held === undefined) return this.#refuse(404, 'NotFound', 'not found');
    const current = asJson(storedOf(held));
    const { patch, subresource } = operation;
    let patched: Json;
    if (patch.type === 'json') {
      const result = jsonPatch(current, patch.body);
      if ('error' in result)
        return this.#refuse(422, 'Invalid', `the server rejected our request: ${result.error}`);
      patched = result.value;
    } else {
      const body = patch.body as Json;
      patched = patch.type === 'merge' ? mergePatch(current, body) : strategicPatch(current, body);
    }
    return this.#checked(held, patched, subresource);
  }

  #update(object: KubeObject, subresource: 'status' | undefined): Served {
    const held = this.#held;
    if (held === undefined) return this.#refuse(404, 'NotFound', 'not found');
    if (object.metadata.resourceVersion === undefined && isCustom(this.#operation.resource)) {
      return this.#refuse(422, 'Invalid', 'metadata.resourceVersion: must be specified for an update');
    }
    const metadata = { uid: held.object.metadata.uid, ...object.metadata };
    return this.#checked(held, asJson({ ...object, metadata }), subresource);
  }

  /** The checks on what a patch or an update made of the object. */
  #checked(held: Held, changed: Json, subresource: string | undefined): Served {
    const metadata = isJsonObject(changed) && isJsonObject(changed['metadata']) ? changed['metadata'] : {};
    const version = metadata['resourceVersion'];
    if (version !== undefined && version !== String(held.version)) {
      return this.#refuse(
        409,
        'Conflict',
        'the object has been modified; please apply your changes to the latest version',
      );
    }
    if (metadata['uid'] !== held.object.metadata.uid) {
      return this.#refuse(422, 'Invalid', 'metadata.uid: field is immutable', 'metadata.uid');
    }
    return this.#change(held, changed, subresource, held.applied);
  }

  #delete(options: Extract<Request, { readonly verb: 'delete' }>['options']): Served {
    const held = this.#held;
    if (held === undefined) return this.#refuse(404, 'NotFound', 'not found');
    const { metadata } = held.object;
    if (options.uid !== undefined && options.uid !== metadata.uid)
      return this.#refuse(409, 'Conflict', 'uid differs');
    if (options.resourceVersion !== undefined && options.resourceVersion !== String(held.version)) {
      return this.#refuse(409, 'Conflict', 'resourceVersion differs');
    }
    const blockedBy =
      options.propagationPolicy === 'Foreground'
        ? ['foregroundDeletion']
        : options.propagationPolicy === 'Orphan'
          ? ['orphan']
          : [];
    const finalizers = [...new Set([...(metadata.finalizers ?? []), ...blockedBy])];
    const graceful = this.#operation.resource.plural === 'pods' && hasNode(held.object);
    if (finalizers.length === 0 && !graceful) return this.#remove(held);
    if (metadata.deletionTimestamp !== undefined) return this.#unchanged(held);
    const deleting = {
      ...metadata,
      deletionTimestamp: this.#around.now,
      // The API server's own deletion of definitions does not count it.
      ...(metadata.generation === undefined || this.#operation.resource.plural === 'customresourcedefinitions'
        ? {}
        : { generation: metadata.generation + 1 }),
      ...(finalizers.length === 0 ? {} : { finalizers }),
    };
    return this.#put({ ...held.object, metadata: deleting }, held.applied, 'MODIFIED');
  }

  #remove(held: Held): Served {
    const version = this.#store.version + 1;
    const objects = new Map(this.#store.objects);
    objects.delete(this.#slot);
    const event: WatchEvent = { type: 'DELETED', slot: this.#slot, object: held.object, version };
    return { store: { objects, version }, answer: { ok: true, object: undefined }, events: [event] };
  }

  /** Stores a changed object: one subresource changes, generation follows the spec, equal content changes nothing. */
  #change(
    held: Held,
    changed: Json,
    subresource: string | undefined,
    applied: JsonObject | undefined,
  ): Served {
    const old = held.object;
    const next = changed as unknown as KubeObject & JsonLike;
    const oldMeta = old.metadata;
    if (subresource === 'status') {
      const result = { ...old, ...(next.status === undefined ? {} : { status: next.status }) };
      if (next.status === undefined) delete (result as { status?: unknown }).status;
      return this.#putIfChanged(held, result, applied);
    }
    const { resourceVersion: _, uid: _uid, ...newMeta } = next.metadata;
    const { status: _status, ...spec } = next;
    const { status, metadata: _meta, ...oldSpec } = old;
    const { metadata: _newMeta, ...newSpec } = spec;
    const specChanged = !sameJson(oldSpec, newSpec);
    const metadata = {
      ...newMeta,
      uid: oldMeta.uid ?? '',
      ...(oldMeta.creationTimestamp === undefined ? {} : { creationTimestamp: oldMeta.creationTimestamp }),
      ...(oldMeta.generation === undefined ? {} : { generation: oldMeta.generation + (specChanged ? 1 : 0) }),
      ...(oldMeta.deletionTimestamp === undefined ? {} : { deletionTimestamp: oldMeta.deletionTimestamp }),
    };
    const keepsStatus = hasStatusSubresource(this.#operation.resource);
    const shown = keepsStatus ? status : next.status;
    const result = { ...spec, metadata, ...(shown === undefined ? {} : { status: shown }) };
    if (oldMeta.deletionTimestamp !== undefined) {
      const added = (metadata.finalizers ?? []).filter((name) => oldMeta.finalizers?.includes(name) !== true);
      if (added.length > 0) {
        return this.#refuse(
          422,
          'Invalid',
          `metadata.finalizers: Forbidden: no new finalizers can be added: ${added[0]}`,
        );
      }
      if ((metadata.finalizers ?? []).length === 0 && oldMeta.deletionGracePeriodSeconds === undefined) {
        const removed = this.#remove({ ...held, object: deepFreeze(result) });
        const answer: Answer = {
          ok: true,
          object: storedOf({ object: result, version: removed.store.version }),
        };
        return { ...removed, answer };
      }
    }
    return this.#putIfChanged(held, result, applied);
  }

  #putIfChanged(held: Held, object: KubeObject, applied: JsonObject | undefined): Served {
    const same = sameJson(object, held.object);
    if (same && sameJson(applied, held.applied)) return this.#unchanged(held);
    return this.#put(object, applied, 'MODIFIED');
  }

  #put(object: KubeObject, applied: JsonObject | undefined, type: 'ADDED' | 'MODIFIED'): Served {
    const version = this.#store.version + 1;
    const held: Held = { object: deepFreeze(object), version, ...(applied === undefined ? {} : { applied }) };
    const objects = new Map(this.#store.objects);
    objects.set(this.#slot, held);
    const event: WatchEvent = { type, slot: this.#slot, object: held.object, version };
    return { store: { objects, version }, answer: { ok: true, object: storedOf(held) }, events: [event] };
  }

  /** A dry run: the answer is as if it had taken place. */
  /** What was only tried has no version, which comes from the store. */
  #withoutEffect({ answer }: Served): Served {
    const unchanged = { store: this.#store, events: [] };
    if (!answer.ok || answer.object === undefined) return { ...unchanged, answer };
    const { resourceVersion: _, ...metadata } = answer.object.metadata;
    const object = { ...answer.object, metadata } as Stored<KubeObject>;
    return { ...unchanged, answer: { ok: true, object } };
  }

  #unchanged(held: Held): Served {
    return { store: this.#store, answer: { ok: true, object: storedOf(held) }, events: [] };
  }

  #refuse(code: number, reason: string, message: string, field?: string): Served {
    const attempted = `${this.#operation.verb} ${this.#slot.replace('|', ' ')}`;
    const status = { code, reason, message, details: { causes: field === undefined ? [] : [{ field }] } };
    const error = new ApiError({ fate: 'refused', code, reason, message, attempted, status });
    return { store: this.#store, answer: { ok: false, error }, events: [] };
  }
}

/** What counts as applied: all but what identifies the object. */
function appliedConfig(object: KubeObject): JsonObject {
  const { name: _n, namespace: _ns, uid: _u, resourceVersion: _rv, ...metadata } = object.metadata;
  const { status: _s, apiVersion: _a, kind: _k, ...rest } = object as KubeObject & JsonLike;
  return asJson({ ...rest, metadata });
}

function asJson(value: object): JsonObject {
  return value as unknown as JsonObject;
}

function hasStatusSubresource(resource: Resource<KubeObject>): boolean {
  return !['controllerrevisions', 'configmaps', 'secrets'].includes(resource.plural);
}

function isCustom(resource: Resource<KubeObject>): boolean {
  return resource.group.includes('.') && !resource.group.endsWith('.k8s.io');
}

function hasNode(object: KubeObject): boolean {
  return (object as { readonly spec?: { readonly nodeName?: string } }).spec?.nodeName !== undefined;
}
