import { compareTexts } from '../values/compare-texts.ts';
import type { ServedNamespace } from '../informer/served-namespace.ts';
import { formatKey, type KubeObject, type ObjectKey, type Stored } from '../objects/object.ts';
import type { Resource } from '../objects/resource.ts';
import type { ReflectorState } from '../reflector/reflector.ts';
import type { OptionalCache } from './optional-cache.ts';
import type { OptionalReader, WriteThroughCache } from './reader.ts';

/** The cache of one namespace. */
export interface NamespaceCache<T extends KubeObject> {
  readonly namespace: Pick<ServedNamespace, 'name' | 'isShown' | 'state'>;
  readonly cache: OptionalCache<T>;
  readonly state: () => Pick<ReflectorState, 'synced'>;
}

/** A list that was joined, and what it was joined of. */
interface Joined<T extends KubeObject> {
  readonly lists: readonly (readonly Stored<T>[])[];
  readonly all: readonly Stored<T>[];
}

/**
 * The caches of some namespaces as one. A namespace that is not served is not there: nothing of it is read.
 *
 * Answers to own writes are not read by the cache that will hold them (no `decode`): the answer's namespace names it.
 */
export class NamespacedCache<T extends KubeObject> implements OptionalReader<T>, WriteThroughCache<T> {
  readonly resource: Resource<T>;
  readonly namespaces: readonly string[];
  readonly #parts: readonly NamespaceCache<T>[];
  readonly #byNamespace: ReadonlyMap<string, NamespaceCache<T>>;
  readonly #comesAndGoes: boolean;
  #joined: Joined<T> = { lists: [], all: none };

  constructor(resource: Resource<T>, parts: readonly NamespaceCache<T>[], comesAndGoes: boolean) {
    this.resource = resource;
    this.#comesAndGoes = comesAndGoes;
    // So that lists that follow each other are sorted by key: `a-b/x` comes before `a/x`.
    this.#parts = parts.toSorted((a, b) => compareTexts(prefixOf(a), prefixOf(b)));
    this.#byNamespace = new Map(parts.map((part) => [part.namespace.name, part]));
    this.namespaces = this.#parts.map(({ namespace }) => namespace.name);
  }

  /** Of a kind that is always there: true. Of another: where some namespace is served, whether the kind is. */
  get served(): boolean {
    return !this.#comesAndGoes || this.#shown().some(({ cache }) => cache.served);
  }

  /** Of a kind that comes and goes also whether what is served has been read since it came. */
  get synced(): boolean {
    const isKnown = this.#parts.every(
      ({ state, namespace: { state: is } }) => state().synced && is !== 'unknown',
    );
    return isKnown && (!this.#comesAndGoes || this.#shown().every(({ cache }) => cache.synced));
  }

  get(key: ObjectKey): Stored<T> | undefined {
    return this.#partOf(key)?.cache.get(key);
  }

  list(): readonly Stored<T>[] {
    const lists = this.#shown().map(({ cache }) => cache.list());
    const before = this.#joined;
    const isSame = before.lists.length === lists.length && lists.every((list, i) => list === before.lists[i]);
    if (!isSame) this.#joined = { lists, all: joined(lists) };
    return this.#joined.all;
  }

  by(index: string, value: string): readonly Stored<T>[] {
    // Those that are not served are asked too: an unknown index is an error wherever it is asked for.
    const lists = this.#parts.map(({ cache, namespace }) => {
      const found = cache.by(index, value);
      return namespace.isShown ? found : none;
    });
    return joined(lists);
  }

  isUnreadable(key: ObjectKey): boolean {
    return this.#partOf(key)?.cache.isUnreadable(key) === true;
  }

  wrote(object: Stored<T>): void {
    this.#byNamespace.get(object.metadata.namespace ?? '')?.cache.wrote(object);
  }

  wroteDeletion(key: ObjectKey, uid: string): void {
    this.#byNamespace.get(key.namespace ?? '')?.cache.wroteDeletion(key, uid);
  }

  #shown(): readonly NamespaceCache<T>[] {
    return this.#parts.filter(({ namespace }) => namespace.isShown);
  }

  #partOf({ namespace = '' }: ObjectKey): NamespaceCache<T> | undefined {
    const part = this.#byNamespace.get(namespace);
    return part?.namespace.isShown === true ? part : undefined;
  }
}

const none: readonly never[] = Object.freeze([]);

function prefixOf({ namespace }: Pick<NamespaceCache<never>, 'namespace'>): string {
  return formatKey({ namespace: namespace.name, name: '' });
}

/** Mostly one namespace has all that an index finds, and its list is shared. */
function joined<V>(lists: readonly (readonly V[])[]): readonly V[] {
  const filled = lists.filter((list) => list.length > 0);
  const [only, second] = filled;
  return second === undefined ? (only ?? none) : Object.freeze(filled.flat());
}
