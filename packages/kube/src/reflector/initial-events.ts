import type { UnreadableObject } from '../decoder/unreadable-object.ts';
import type { WatchEvent } from '../decoder/watch-event.ts';
import type { KubeObject, Stored } from '../objects/object.ts';

/** The content with which a stream begins: of each object what was sent last. */
export class InitialEvents<T extends KubeObject> {
  readonly #items = new Map<string, Stored<T>>();
  readonly #unreadable = new Map<string, UnreadableObject>();
  readonly #unknown: UnreadableObject[] = [];

  get items(): readonly Stored<T>[] {
    return [...this.#items.values()];
  }

  /** Those whose last version cannot be read. */
  get unreadable(): readonly UnreadableObject[] {
    return [...this.#unreadable.values(), ...this.#unknown];
  }

  take(event: Exclude<WatchEvent<T>, { readonly type: 'BOOKMARK' | 'ERROR' }>): void {
    const metadata = event.type === 'UNREADABLE' ? event.metadata : event.object.metadata;
    if (metadata === undefined) {
      if (event.type === 'UNREADABLE') this.#unknown.push(event);
      return;
    }
    this.#items.delete(metadata.uid);
    this.#unreadable.delete(metadata.uid);
    if (event.type === 'UNREADABLE') {
      if (event.change !== 'DELETED') this.#unreadable.set(metadata.uid, event);
    } else if (event.type !== 'DELETED') {
      this.#items.set(metadata.uid, event.object);
    }
  }
}
