import type { Buffer } from 'node:buffer';
import type { KubeObject, Stored } from '../objects/object.ts';
import type { Resource } from '../objects/resource.ts';
import { isFilled } from '../values/is-filled.ts';
import { DecodeError } from './decode-error.ts';
import { asBuffer, PartialDocument, type TakeDocument } from './line-splitter.ts';
import { ObjectDecoder, parse, type Known } from './object-decoder.ts';
import type { Projection } from './projection.ts';
import type { UnreadableObject } from './unreadable-object.ts';

/** What surrounds the items of a list. */
export interface ListEnd {
  readonly resourceVersion: string;
  /** Asks for the next page; undefined on the last one. */
  readonly continue: string | undefined;
}

const quote = 0x22;
const comma = 0x2c;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

function throwIt({ error }: UnreadableObject): never {
  throw error;
}

const itemsKey = /"items"\s*:\s*\[$/;

/**
 * Turns the bytes of a list response into objects while they arrive: no string of the whole body is ever
 * made, whatever its size. The items of a list carry no `kind` and `apiVersion` for built-in resources; here
 * they do, as in a watch.
 */
export class ListDecoder<T extends KubeObject> {
  readonly #objects: ObjectDecoder<T>;
  readonly #item = new PartialDocument();
  /** All bytes outside of the items. */
  readonly #envelope = new PartialDocument();
  #depth = 0;
  #inString = false;
  #escaped = false;
  #inItems = false;
  #complete = false;

  constructor(resource: Resource<T>, projection: Projection<T>, known?: Known<T>) {
    this.#objects = new ObjectDecoder(resource, projection, known);
  }

  /**
   * Hands each item that is whole to `take`, in order; one that cannot be read goes to `missed`, or is thrown without. Throws
   * `DecodeError`.
   */
  push(
    chunk: Uint8Array,
    take: (object: Stored<T>) => void,
    missed: (object: UnreadableObject) => void = throwIt,
  ): void {
    const bytes = asBuffer(chunk);
    const hand = (item: Buffer, start: number, end: number): void =>
      this.#hand(item, start, end, take, missed);
    let position = 0;
    while (position < bytes.length)
      position = this.#inItems ? this.#items(bytes, position, hand) : this.#around(bytes, position);
  }

  /** To be called when the body has ended; throws where it ended too early. */
  finish(): ListEnd {
    if (!this.#complete) throw new DecodeError('a list ends too early');
    let text = '';
    this.#envelope.take((bytes, start, end) => (text = bytes.toString('utf8', start, end)));
    const list = parse(text);
    if (typeof list !== 'object' || list === null || !('metadata' in list))
      throw new DecodeError('a list without metadata');
    // Anything else would be a list of nothing, and all that is cached would be gone.
    if (!('items' in list) || (list.items !== null && !Array.isArray(list.items)))
      throw new DecodeError('a list without items');
    if (Array.isArray(list.items) && list.items.length > 0)
      throw new DecodeError('a list whose items were not found');
    const metadata = list.metadata as {
      readonly resourceVersion?: unknown;
      readonly continue?: unknown;
    } | null;
    const { resourceVersion, continue: token } = metadata ?? {};
    if (!isFilled(resourceVersion)) throw new DecodeError('a list without a resourceVersion');
    return { resourceVersion, continue: isFilled(token) ? token : undefined };
  }

  /** Walks over what surrounds the items; yields the position behind the last byte it took. */
  #around(bytes: Buffer, start: number): number {
    let taken = start;
    let position = start;
    while (position < bytes.length) {
      if (this.#inString) {
        position = this.#string(bytes, position);
        continue;
      }
      const byte = bytes[position++];
      if (byte === quote) this.#inString = true;
      else if (byte === openBrace || byte === openBracket) {
        this.#depth++;
        if (byte !== openBracket || this.#depth !== 2) continue;
        this.#envelope.append(bytes, taken, position);
        taken = position;
        this.#inItems = itemsKey.test(this.#envelope.tail(64));
        if (this.#inItems) return position;
      } else if (byte === closeBrace || byte === closeBracket) {
        this.#depth--;
        if (this.#depth === 0) this.#complete = true;
      }
    }
    this.#envelope.append(bytes, taken, position);
    return position;
  }

  /** Walks over the items; yields the position behind the last byte it took. */
  #items(bytes: Buffer, start: number, take: TakeDocument): number {
    let depth = this.#depth;
    let position = start;
    let itemStart = depth > 2 ? start : -1;
    while (position < bytes.length) {
      if (this.#inString) {
        position = this.#string(bytes, position);
        continue;
      }
      const byte = bytes[position++];
      if (byte === quote) this.#inString = true;
      else if (byte === openBrace || byte === openBracket) {
        if (depth === 2) itemStart = position - 1;
        depth++;
      } else if (byte === closeBrace || byte === closeBracket) {
        depth--;
        if (depth === 2) {
          this.#whole(bytes, itemStart, position, take);
          itemStart = -1;
        } else if (depth < 2) {
          this.#envelope.append(bytes, position - 1, position);
          this.#inItems = false;
          this.#depth = depth;
          return position;
        }
      } else if (
        depth === 2 &&
        byte !== comma &&
        byte !== 0x20 &&
        byte !== 0x0a &&
        byte !== 0x0d &&
        byte !== 0x09
      ) {
        throw new DecodeError('an item of a list is not an object');
      }
    }
    if (itemStart !== -1) this.#item.append(bytes, itemStart, bytes.length);
    this.#depth = depth;
    return position;
  }

  #whole(bytes: Buffer, start: number, end: number, take: TakeDocument): void {
    if (this.#item.length === 0) {
      take(bytes, start, end);
      return;
    }
    this.#item.append(bytes, start, end);
    this.#item.take(take);
  }

  #hand(
    bytes: Buffer,
    start: number,
    end: number,
    take: (object: Stored<T>) => void,
    missed: (object: UnreadableObject) => void,
  ): void {
    let object: Stored<T>;
    try {
      object = this.#objects.decode(bytes, start, end);
    } catch (error) {
      missed(this.#objects.unreadable(bytes, start, end, error));
      return;
    }
    take(object);
  }

  /** Goes to the end of the string or of the chunk. */
  #string(bytes: Buffer, start: number): number {
    let position = start;
    if (this.#escaped) {
      this.#escaped = false;
      position++;
    }
    while (position < bytes.length) {
      const byte = bytes[position++];
      if (byte === quote) {
        this.#inString = false;
        return position;
      }
      if (byte === backslash) {
        if (position === bytes.length) {
          this.#escaped = true;
          return position;
        }
        position++;
      }
    }
    return position;
  }
}
