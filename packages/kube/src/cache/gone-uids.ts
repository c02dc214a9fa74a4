/** How many uids are remembered. */
const most = 1024;

/** Uids of objects that the stream saw go, the last of them: for a deletion whose response is slower than its event. */
export class GoneUids {
  readonly #uids = new Set<string>();

  has(uid: string): boolean {
    return this.#uids.has(uid);
  }

  add(uid: string): void {
    this.#uids.add(uid);
    if (this.#uids.size <= most) return;
    const [oldest] = this.#uids;
    if (oldest !== undefined) this.#uids.delete(oldest);
  }

  clear(): void {
    this.#uids.clear();
  }

  describe(): readonly string[] {
    return [...this.#uids].toSorted();
  }
}
