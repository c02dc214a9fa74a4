import { formatKey, groupResourceOf, keyOf } from '@atoll/kube';
import type { KubeObject, ObjectKey, Resource, Stored } from '@atoll/kube';
import { deepFreeze } from './json.ts';
import type { JsonObject } from './json.ts';

/** What the model of the API server holds. */
export interface Store {
  /** By {@link slotOf}. */
  readonly objects: ReadonlyMap<string, Held>;
  /** The last resourceVersion given. */
  readonly version: number;
}

export interface Held {
  /** Without `metadata.resourceVersion`: content and version change apart. Frozen. */
  readonly object: KubeObject & JsonLike;
  readonly version: number;
  /** What the field manager of the operator last applied. */
  readonly applied?: JsonObject;
}

export type JsonLike = { readonly status?: unknown };

/** One event of a resource's watch; a deletion carries the object's last state and the version of the deletion. */
export interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly slot: string;
  readonly object: KubeObject;
  readonly version: number;
}

export const emptyStore: Store = { objects: new Map(), version: 0 };

/** Names one object of the whole store; sorts by resource, then namespace and name. */
export function slotOf(resource: Pick<Resource<KubeObject>, 'group' | 'plural'>, key: ObjectKey): string {
  return `${groupResourceOf(resource)}|${formatKey(key)}`;
}

/** What the store holds of one resource, in the order of namespaces and names. */
export function heldOf(
  { objects }: Store,
  resource: Pick<Resource<KubeObject>, 'group' | 'plural'>,
): readonly Held[] {
  const slots = [...objects.keys()].filter((slot) => slot.startsWith(`${groupResourceOf(resource)}|`));
  return slots.toSorted().flatMap((slot) => objects.get(slot) ?? []);
}

export function resourceOfSlot(slot: string): string {
  return slot.slice(0, slot.indexOf('|'));
}

export function storedOf(held: Pick<Held, 'object' | 'version'>): Stored<KubeObject> {
  const metadata = { ...held.object.metadata, resourceVersion: String(held.version) };
  return { ...held.object, metadata } as Stored<KubeObject>;
}

/** Puts an object into the store as it is, status included: the beginning of a world. */
export function seed(
  store: Store,
  resource: Resource<KubeObject>,
  object: KubeObject,
  uid: string,
  now: string,
): Store {
  const version = store.version + 1;
  const metadata = {
    ...object.metadata,
    uid: object.metadata.uid ?? uid,
    creationTimestamp: now,
    ...(hasGeneration(resource) ? { generation: 1 } : {}),
  };
  const objects = new Map(store.objects);
  objects.set(slotOf(resource, keyOf(object)), { object: deepFreeze({ ...object, metadata }), version });
  return { objects, version };
}

export function hasGeneration(resource: Resource<KubeObject>): boolean {
  return !['nodes', 'controllerrevisions', 'configmaps', 'secrets', 'events'].includes(resource.plural);
}
