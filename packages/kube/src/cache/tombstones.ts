import type { KubeObject, Stored } from '../objects/object.ts';
import { isCertainlyNewer, isNewer } from '../objects/resource-version.ts';

/** An object that is certainly gone, while the stream may still report earlier versions. */
export interface Tombstone<T extends KubeObject> {
  readonly uid: string;
  /** The newest version of it that was seen; its deletion is newer. undefined: it was never seen. */
  readonly version: string | undefined;
  /** To be reported when the stream is past the deletion. undefined: nobody ever saw it here. */
  readonly object: Stored<T> | undefined;
}

/** Deletions of objects that this cache never held are remembered in this number; the oldest goes first. */
const maxUnseen = 1024;

/** The tombstones of a cache, by key. Names come back, uids never. */
export class Tombstones<T extends KubeObject> {
  readonly #byKey = new Map<string, readonly Tombstone<T>[]>();
  readonly #unseen = new Map<string, string>();

  get size(): number {
    let size = 0;
    for (const stones of this.#byKey.values()) size += stones.length;
    return size;
  }

  /** Whether an object of this key, uid and version belongs to the past: it is gone, or older than one that is gone. */
  cover(key: string, uid: string, version: string): boolean {
    const stones = this.#byKey.get(key);
    if (stones === undefined) return false;
    return stones.some(
      (stone) => stone.uid === uid || (stone.version !== undefined && !isNewer(version, stone.version)),
    );
  }

  has(key: string, uid: string): boolean {
    return this.#byKey.get(key)?.some((stone) => stone.uid === uid) === true;
  }

  add(key: string, stone: Tombstone<T>): void {
    this.#byKey.set(key, [...(this.#byKey.get(key) ?? []), stone]);
    if (stone.version !== undefined) return;
    this.#unseen.set(stone.uid, key);
    if (this.#unseen.size <= maxUnseen) return;
    const [oldest] = this.#unseen;
    if (oldest !== undefined) this.remove(oldest[1], oldest[0]);
  }

  /** A version of an object that was buried without one. */
  record(key: string, uid: string, version: string): void {
    const stones = this.#byKey.get(key);
    if (stones === undefined || !this.#unseen.delete(uid)) return;
    this.#byKey.set(
      key,
      stones.map((stone) => (stone.uid === uid ? { ...stone, version } : stone)),
    );
  }

  remove(key: string, uid: string): Tombstone<T> | undefined {
    const stones = this.#byKey.get(key);
    const found = stones?.find((stone) => stone.uid === uid);
    if (stones === undefined || found === undefined) return undefined;
    this.#unseen.delete(uid);
    if (stones.length === 1) this.#byKey.delete(key);
    else
      this.#byKey.set(
        key,
        stones.filter((stone) => stone !== found),
      );
    return found;
  }

  /**
   * Removes and yields those whose deletion a list of `version` without their uid shows: they lived at a moment that
   * the list covers, and are not in it.
   */
  passed(version: string, listed: ReadonlySet<string>): readonly Tombstone<T>[] {
    const passed: [string, Tombstone<T>][] = [];
    for (const [key, stones] of this.#byKey) {
      for (const stone of stones) {
        if (stone.version === undefined || listed.has(stone.uid) || isCertainlyNewer(stone.version, version))
          continue;
        passed.push([key, stone]);
      }
    }
    for (const [key, stone] of passed) this.remove(key, stone.uid);
    return passed.map(([, stone]) => stone);
  }

  describe(): readonly string[] {
    const lines = [...this.#byKey].flatMap(([key, stones]) =>
      stones.map(
        ({ uid, version, object }) => `${key} ${uid} ${version} ${object?.metadata.resourceVersion}`,
      ),
    );
    return lines.toSorted();
  }

  clear(): readonly Tombstone<T>[] {
    const all = [...this.#byKey.values()].flat();
    this.#byKey.clear();
    this.#unseen.clear();
    return all;
  }
}
