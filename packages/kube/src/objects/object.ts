/** Metadata as a client may write it. Unknown fields survive, so the interface names only what is read here. */
export interface ObjectMeta {
  readonly name: string;
  readonly namespace?: string;
  readonly generateName?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  /** RFC 3339, whole seconds. */
  readonly creationTimestamp?: string;
  /** RFC 3339; present while the object waits for finalizers or a grace period. */
  readonly deletionTimestamp?: string;
  readonly deletionGracePeriodSeconds?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly ownerReferences?: readonly OwnerReference[];
  readonly finalizers?: readonly string[];
  /** Who owns which fields. No cache keeps it but in the parts that its projection names. */
  readonly managedFields?: readonly ManagedFieldsEntry[];
}

/** The fields that one manager owns through one way of writing (server-side apply's bookkeeping). */
export interface ManagedFieldsEntry {
  readonly manager?: string;
  readonly operation?: 'Apply' | 'Update';
  readonly apiVersion?: string;
  readonly time?: string;
  readonly fieldsType?: 'FieldsV1';
  readonly fieldsV1?: FieldsV1;
  readonly subresource?: string;
}

/** `f:<name>` for a field, `k:<keys>` for an item of a keyed list, `v:<value>` for one of a set, `.` for the thing itself. */
export interface FieldsV1 {
  readonly [field: string]: FieldsV1;
}

/** Metadata of an object that the API server has stored. */
export interface StoredMeta extends ObjectMeta {
  readonly uid: string;
  readonly resourceVersion: string;
  readonly creationTimestamp: string;
}

/** Names an object that another belongs to, by its uid. */
export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

/** What every object of Kubernetes has. */
export interface KubeObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
}

/** An object as it was read from the API server: uid, resourceVersion and creationTimestamp are there. */
export type Stored<T extends KubeObject> = Omit<T, 'metadata'> & {
  readonly metadata: T['metadata'] & StoredMeta;
};

/** Names one object of a known resource. Cluster-scoped objects have no namespace. */
export interface ObjectKey {
  readonly namespace?: string;
  readonly name: string;
}

/** The key of an object. */
export function keyOf(object: Pick<KubeObject, 'metadata'>): ObjectKey {
  const { namespace, name } = object.metadata;
  return namespace === undefined ? { name } : { namespace, name };
}

/** `namespace/name`, or `name` for cluster-scoped objects: the form that kubectl and client-go print. */
export function formatKey(key: ObjectKey): string {
  return key.namespace === undefined ? key.name : `${key.namespace}/${key.name}`;
}

/** The inverse of {@link formatKey}. */
export function parseKey(text: string): ObjectKey {
  const slash = text.indexOf('/');
  return slash === -1 ? { name: text } : { namespace: text.slice(0, slash), name: text.slice(slash + 1) };
}

/** The owner that controls the object; undefined: none does. */
export function controllerOf(object: Pick<KubeObject, 'metadata'>): OwnerReference | undefined {
  return object.metadata.ownerReferences?.find((owner) => owner.controller === true);
}
