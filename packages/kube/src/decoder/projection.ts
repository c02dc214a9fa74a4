import type { KubeObject, Stored } from '../objects/object.ts';
import { field, pick, type Field, type FieldTree } from './field-tree.ts';

/**
 * The fields of `T` that a cache holds. Everything else is skipped in the bytes and never becomes an object.
 * Lists are transparent: `status.conditions.type` keeps the type of every condition. A value that is
 * neither object nor list where a path goes on below it is kept as it is.
 */
export interface Projection<T extends KubeObject> {
  /** As declared; undefined: all fields. */
  readonly paths: readonly string[] | undefined;
  readonly tree: FieldTree;
  /** Nothing outside of the metadata is kept, so that nothing else need be sent. */
  readonly metadataOnly: boolean;
  /** Never set: carries the type only. */
  readonly objectType?: T;
}

/**
 * Kept by every projection: without them an object has no identity and no place in the order of versions. Who writes the list of
 * finalizers, writes all of it.
 */
const alwaysKept = [
  'apiVersion',
  'kind',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'metadata.resourceVersion',
  'metadata.creationTimestamp',
  'metadata.deletionTimestamp',
  'metadata.finalizers',
] as const;

type Element<T> = NonNullable<T> extends readonly (infer E)[] ? NonNullable<E> : NonNullable<T>;

/** `P` where it names a field of `T`, a sentence with the error otherwise. */
export type FieldPath<T, P extends string> = Walk<Element<T>, P> extends true ? P : `no such field: ${P}`;

type Walk<T, P extends string> = P extends `${infer Head}.${infer Rest}`
  ? Head extends keyof T
    ? Walk<Element<T[Head]>, Rest>
    : false
  : P extends keyof T
    ? true
    : false;

/**
 * Declares which fields of a resource somebody reads; the paths are checked against the type.
 *
 *     const podFields = projection<Pod>()('metadata', 'spec.nodeName', 'status.phase');
 *
 * `apiVersion`, `kind`, and of the metadata name, namespace, uid, resourceVersion, creationTimestamp, deletionTimestamp and
 * finalizers are always kept; of `metadata.managedFields`, which is larger than most objects, only fields
 * inside it that are declared, never all. A field that is not declared is absent at runtime even where its type
 * has it.
 */
export function projection<T extends KubeObject>() {
  return <const P extends readonly string[]>(
    ...paths: P & { readonly [I in keyof P]: FieldPath<T, P[I] & string> }
  ): Projection<T> => projectionOfPaths<T>(paths);
}

/** {@link projection} for paths that are only known at runtime. */
export function projectionOfPaths<T extends KubeObject>(paths: readonly string[]): Projection<T> {
  const root: Draft = new Map();
  for (const path of [...alwaysKept, ...paths]) plant(root, path.split('.'));
  const metadataOnly = paths.every((path) => path === 'metadata' || path.startsWith('metadata.'));
  return { paths: [...paths], tree: grow(root, []), metadataOnly };
}

const everything: FieldTree = {
  otherwise: 'keep',
  fields: [field('metadata', { otherwise: 'keep', fields: [field('managedFields', 'skip')] })],
};

/** All fields but `metadata.managedFields`: what a cache holds where no projection is declared. */
export function wholeObject<T extends KubeObject>(): Projection<T> {
  return { paths: undefined, tree: everything, metadataOnly: false };
}

/** Keeps what any of the projections keeps. */
export function mergeProjections<T extends KubeObject>(projections: readonly Projection<T>[]): Projection<T> {
  const paths = new Set<string>();
  for (const one of projections) {
    if (one.paths === undefined) return wholeObject();
    for (const path of one.paths) paths.add(path);
  }
  return projections.length === 0 ? wholeObject() : projectionOfPaths([...paths].toSorted());
}

/**
 * The object with only the fields that the projection keeps: the same result as decoding its JSON with the
 * projection. For objects that were not read through a decoder, as the responses of writes.
 */
export function project<T extends KubeObject>(declared: Projection<T>, object: Stored<T>): Stored<T> {
  return pick(object, declared.tree) as Stored<T>;
}

/**
 * What to ask the API server for: where only metadata is kept, only metadata, or all from a server that cannot do that. The
 * events of a watch and a list have names of their own.
 * https://kubernetes.io/docs/reference/using-api/api-concepts/ ("PartialObjectMetadata")
 */
export function mediaTypeFor(
  { metadataOnly }: Pick<Projection<KubeObject>, 'metadataOnly'>,
  what: 'watch' | 'list',
): string {
  const whole = 'application/json';
  const kind = what === 'list' ? 'PartialObjectMetadataList' : 'PartialObjectMetadata';
  return metadataOnly ? `${whole};as=${kind};g=meta.k8s.io;v=v1,${whole}` : whole;
}

type Draft = Map<string, Draft | 'keep'>;

function plant(draft: Draft, path: readonly string[]): void {
  const [head, ...rest] = path;
  if (head === undefined) return;
  const present = draft.get(head);
  if (present === 'keep') return;
  if (rest.length === 0) {
    draft.set(head, 'keep');
    return;
  }
  const below: Draft = present ?? new Map();
  draft.set(head, below);
  plant(below, rest);
}

function grow(draft: Draft, path: readonly string[]): FieldTree {
  const fields: Field[] = [];
  for (const [name, below] of draft) {
    const here = [...path, name].join('.');
    if (here === 'metadata.managedFields' && below === 'keep') continue;
    if (below !== 'keep') fields.push(field(name, grow(below, [...path, name])));
    else if (here === 'metadata')
      fields.push(field(name, { otherwise: 'keep', fields: [field('managedFields', 'skip')] }));
    else fields.push(field(name, 'keep'));
  }
  return { otherwise: 'skip', fields };
}
