import { isFields } from '../values/fields.ts';
import { isFilled } from '../values/is-filled.ts';
import { Buffer } from 'node:buffer';
import { readStatus } from '../client/read-status.ts';
import type { KubeObject, Stored } from '../objects/object.ts';
import type { Resource } from '../objects/resource.ts';
import { DecodeError } from './decode-error.ts';
import { LineSplitter } from './line-splitter.ts';
import { ObjectDecoder, parse, type Known } from './object-decoder.ts';
import type { Projection } from './projection.ts';
import type { WatchEvent } from './watch-event.ts';

/** How the API server begins every line: the fields of `metav1.WatchEvent` in their order. */
const beginnings = (['ADDED', 'MODIFIED', 'DELETED'] as const).map((type) => ({
  type,
  bytes: Buffer.from(`{"type":"${type}","object":`),
}));

const closeBrace = 0x7d;
const quote = 0x22;
const versionField = Buffer.from('"resourceVersion":"');

/** On the bookmark that ends the initial events (KEP-3157, Kubernetes 1.27). */
const initialEventsEnd = 'k8s.io/initial-events-end';

/** Turns the bytes of a watch response into events, wherever the chunks are cut. */
export class WatchDecoder<T extends KubeObject> {
  readonly #lines = new LineSplitter();
  readonly #objects: ObjectDecoder<T>;
  readonly #awaited: ReadonlyMap<string, Stored<T>>;

  /** `awaited`: own writes that are held already and whose event has not come, by resourceVersion. */
  constructor(
    resource: Resource<T>,
    projection: Projection<T>,
    known?: Known<T>,
    awaited: ReadonlyMap<string, Stored<T>> = new Map(),
  ) {
    this.#objects = new ObjectDecoder(resource, projection, known);
    this.#awaited = awaited;
  }

  /** Bytes of an event that has not arrived whole. */
  get pending(): number {
    return this.#lines.pending;
  }

  /**
   * Hands each event that is whole to `take`, in order. Throws `DecodeError` for a line that is no watch event;
   * the events before it were handed over. An event whose object alone cannot be read is `UNREADABLE`.
   */
  push(chunk: Uint8Array, take: (event: WatchEvent<T>) => void): void {
    this.#lines.push(chunk, (bytes, start, end) => take(this.#event(bytes, start, end)));
  }

  #event(bytes: Buffer, start: number, end: number): WatchEvent<T> {
    for (const beginning of beginnings) {
      const objectStart = start + beginning.bytes.length;
      if (objectStart >= end || !beginsWith(bytes, start, beginning.bytes)) continue;
      const objectEnd = bytes[end - 1] === closeBrace ? end - 1 : bytes.lastIndexOf(closeBrace, end - 1);
      const { type } = beginning;
      const own = type === 'DELETED' ? undefined : this.#ownWrite(bytes, objectStart, objectEnd);
      if (own !== undefined) return { type, object: own };
      try {
        return { type, object: this.#objects.decode(bytes, objectStart, objectEnd) };
      } catch (error) {
        const left = this.#objects.unreadable(bytes, objectStart, objectEnd, error);
        return { type: 'UNREADABLE', change: type, ...left };
      }
    }
    return this.#otherEvent(parse(bytes.toString('utf8', start, end)));
  }

  /**
   * The object of the bytes, where they are the event of an own write. The first field of that name is that of the metadata: no field
   * stands before it that has one. That an annotation or a label of such a name is not taken for it, the uid makes sure.
   */
  #ownWrite(bytes: Buffer, start: number, end: number): Stored<T> | undefined {
    if (this.#awaited.size === 0) return undefined;
    const field = bytes.indexOf(versionField, start);
    if (field < 0 || field > end) return undefined;
    const at = field + versionField.length;
    const version = bytes.toString('latin1', at, bytes.indexOf(quote, at));
    const own = this.#awaited.get(version);
    if (own === undefined) return undefined;
    const uidAt = bytes.indexOf(`"uid":"${own.metadata.uid}"`, start);
    return uidAt < 0 || uidAt > end ? undefined : own;
  }

  /** Bookmarks, errors, and events that are written in another way than the API server writes them. */
  #otherEvent(event: unknown): WatchEvent<T> {
    if (!isFields(event) || !isFields(event['object']))
      throw new DecodeError('a line that is no watch event');
    const { type, object } = event;
    switch (type) {
      case 'ADDED':
      case 'MODIFIED':
      case 'DELETED':
        return { type, object: this.#objects.adopt(object) };
      case 'BOOKMARK':
        return bookmark(object);
      case 'ERROR':
        return { type, status: readStatus(object) };
      default:
        throw new DecodeError(`a watch event of unknown type ${JSON.stringify(type)}`);
    }
  }
}

/** A loop: a call for so few bytes costs more than they. */
function beginsWith(bytes: Buffer, start: number, beginning: Uint8Array): boolean {
  // From the end: types of other lengths differ there.
  for (let at = beginning.length - 1; at >= 0; at--) if (bytes[start + at] !== beginning[at]) return false;
  return true;
}

function bookmark(object: unknown): WatchEvent<never> {
  const metadata = isFields(object) ? object['metadata'] : undefined;
  const resourceVersion = isFields(metadata) ? metadata['resourceVersion'] : undefined;
  if (!isFilled(resourceVersion)) throw new DecodeError('a bookmark without a resourceVersion');
  const annotations = isFields(metadata) ? metadata['annotations'] : undefined;
  const ends = isFields(annotations) && annotations[initialEventsEnd] === 'true';
  return { type: 'BOOKMARK', resourceVersion, initialEventsEnd: ends };
}
