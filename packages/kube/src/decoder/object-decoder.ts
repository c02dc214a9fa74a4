import type { Buffer } from 'node:buffer';
import type { KubeObject, Stored } from '../object.ts';
import { Compactor } from './compactor.ts';
import { DecodeError } from './decode-error.ts';
import { pick } from './field-tree.ts';
import { deepFreeze, StringPool } from './freeze.ts';
import type { Projection } from './projection.ts';

/**
 * The version of an object that is held already, frozen and decoded with the same projection: what has not changed is
 * taken from it (see {@link deepFreeze}).
 */
export type Known<T extends KubeObject> = (object: Stored<T>) => Stored<T> | undefined;

/** Bytes of one object to a frozen object with the fields of a projection. One per stream or cache. */
export class ObjectDecoder<T extends KubeObject> {
  readonly #projection: Projection<T>;
  readonly #known: Known<T>;
  readonly #compactor = new Compactor();
  readonly #pool = new StringPool();

  constructor(projection: Projection<T>, known: Known<T> = () => undefined) {
    this.#projection = projection;
    this.#known = known;
  }

  /**
   * The object in the bytes from `start` to `end`. The fields in `prefix`, the inner text
   * of a JSON object, count where the bytes do not have them. Throws `DecodeError`.
   */
  decode(bytes: Buffer, start: number, end: number, prefix?: Buffer): Stored<T> {
    return this.#stored(parse(this.#compactor.compact(bytes, start, end, this.#projection.tree, prefix)));
  }

  /** The same for an object that was parsed already. */
  adopt(value: unknown): Stored<T> {
    return this.#stored(pick(value, this.#projection.tree));
  }

  #stored(value: unknown): Stored<T> {
    if (!isStored<T>(value))
      throw new DecodeError('an object without metadata.name or metadata.resourceVersion');
    return deepFreeze(value, this.#pool, this.#known(value));
  }
}

export function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new DecodeError('a document that is not JSON', { cause: error });
  }
}

function isStored<T extends KubeObject>(value: unknown): value is Stored<T> {
  if (typeof value !== 'object' || value === null || !('metadata' in value)) return false;
  const { metadata } = value;
  if (typeof metadata !== 'object' || metadata === null) return false;
  return (
    'name' in metadata &&
    typeof metadata.name === 'string' &&
    'resourceVersion' in metadata &&
    typeof metadata.resourceVersion === 'string'
  );
}
