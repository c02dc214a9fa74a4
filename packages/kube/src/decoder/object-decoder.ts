import { Buffer } from 'node:buffer';
import type { KubeObject, Stored } from '../objects/object.ts';
import { apiVersionOf, type Resource } from '../objects/resource.ts';
import { isFields } from '../values/fields.ts';
import { isFilled } from '../values/is-filled.ts';
import { Compactor } from './compactor.ts';
import { DecodeError } from './decode-error.ts';
import { pick, without, withApart, type FieldTree } from './field-tree.ts';
import { deepFreeze, StringPool } from './freeze.ts';
import { projectionOfPaths, type Projection } from './projection.ts';
import type { UnreadableObject } from './unreadable-object.ts';

/**
 * The version of an object that is held already, frozen and decoded with the same projection: what has not changed is
 * taken from it (see {@link deepFreeze}).
 */
export type Known<T extends KubeObject> = (object: Stored<T>) => Stored<T> | undefined;

/**
 * Bytes of one object to a frozen object with the fields of a projection. One per stream or cache. `apiVersion` and `kind`
 * are the resource's: the items of a list come without, and where only metadata is sent they name another kind.
 */
export class ObjectDecoder<T extends KubeObject> {
  readonly #identity: Identity;
  /** The same, as the first fields of a JSON object. */
  readonly #prefix: Buffer;
  readonly #fields: FieldTree;
  readonly #known: Known<T>;
  readonly #compactor = new Compactor();
  readonly #pool = new StringPool();
  /** With the spec apart: most events bring the spec that is known, which is not parsed anew. */
  readonly #tree: FieldTree;

  constructor(resource: Resource<T>, { tree }: Projection<T>, known: Known<T> = () => undefined) {
    this.#identity = { apiVersion: apiVersionOf(resource), kind: resource.kind };
    this.#prefix = Buffer.from(JSON.stringify(this.#identity).slice(1, -1));
    this.#known = known;
    this.#fields = without(without(tree, 'apiVersion'), 'kind');
    this.#tree = withApart(this.#fields, 'spec') ?? this.#fields;
  }

  /** The object in the bytes from `start` to `end`. Throws `DecodeError`. */
  decode(bytes: Buffer, start: number, end: number): Stored<T> {
    const value = parse(this.#compactor.compact(bytes, start, end, this.#tree, this.#prefix));
    const known = this.#knownOf(value);
    const { apart } = this.#compactor;
    if (apart === undefined) return deepFreeze(value, this.#pool, known) as Stored<T>;
    const { spec: before } = (known ?? {}) as WithSpec;
    const text = bytes.toString('utf8', apart.start, apart.end);
    const spec = before !== undefined && textOfSpec.get(before) === text ? before : parse(text);
    // It has just been parsed, and nobody else holds it.
    const object = deepFreeze(Object.assign(value as Stored<T>, { spec }), this.#pool, known) as Stored<T> &
      WithSpec;
    if (spec !== before) remember(object.spec, text);
    return object;
  }

  /** The same for an object that was parsed already. */
  adopt(value: unknown): Stored<T> {
    const object: unknown = { ...this.#identity, ...(pick(value, this.#fields) as object) };
    return deepFreeze(object, this.#pool, this.#knownOf(object)) as Stored<T>;
  }

  /** What can still be read of the object in these bytes, which {@link decode} could not read. */
  unreadable(bytes: Buffer, start: number, end: number, error: unknown): UnreadableObject {
    const why = error instanceof Error ? error : new Error(String(error));
    try {
      const value = parse(this.#compactor.compact(bytes, start, end, identity.tree));
      return { metadata: isStored<T>(value) ? value.metadata : undefined, error: why };
    } catch {
      return { metadata: undefined, error: why };
    }
  }

  #knownOf(value: unknown): Stored<T> | undefined {
    if (isStored<T>(value)) return this.#known(value);
    throw new DecodeError('an object without metadata.name, metadata.uid or metadata.resourceVersion');
  }
}

/**
 * Of specs that are held whole; the answer to a write and the event of it bring the same text. As bytes they would
 * not have to be decoded, and keep the large buffers alive that they are cut from.
 */
const textOfSpec = new WeakMap<object, string>();

function remember(spec: unknown, text: string): void {
  if (typeof spec === 'object' && spec !== null) textOfSpec.set(spec, text);
}

/** The fields that identify an object: they may be readable where others are not. */
const identity: Projection<KubeObject> = projectionOfPaths([]);

interface Identity {
  readonly apiVersion: string;
  readonly kind: string;
}

interface WithSpec {
  readonly spec?: object;
}

export function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new DecodeError('a document that is not JSON', { cause: error });
  }
}

function isStored<T extends KubeObject>(value: unknown): value is Stored<T> {
  const metadata = isFields(value) ? value['metadata'] : undefined;
  // Objects without uids would all be the same one, and a watch from an empty version begins anywhere.
  return isFields(metadata) && ['name', 'uid', 'resourceVersion'].every((field) => isFilled(metadata[field]));
}
