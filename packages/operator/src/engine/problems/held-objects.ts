import type { ReasonWord } from '@atoll/api';

/** One series of the metric that names objects. */
export interface HeldObject {
  readonly controller: string;
  /** Empty for what has none. */
  readonly namespace: string;
  readonly name: string;
  readonly reason: ReasonWord;
  /** Something is wrong, as opposed to not done yet. */
  readonly wrong: boolean;
}

/** So many are named: a fleet in an outage must not fill the store of those who read the metric. */
export const namedObjects = 500;

/** Which objects are held, for a metric that names them: at most `namedObjects`, what is wrong first, then what is held for longest. */
export class HeldObjects {
  readonly #held = new Map<string, readonly HeldObject[]>();

  /** `reasons`: each with whether something is wrong; empty where the object is held no more, or gone. */
  set(controller: string, key: string, reasons: ReadonlyMap<ReasonWord, boolean>): void {
    const id = `${controller} ${key}`;
    if (reasons.size === 0) return void this.#held.delete(id);
    const slash = key.lastIndexOf('/');
    const object = { controller, namespace: key.slice(0, Math.max(slash, 0)), name: key.slice(slash + 1) };
    // Keeps its place among the others, which is by the time since when it is held.
    this.#held.set(
      id,
      [...reasons].map(([reason, wrong]) => ({ ...object, reason, wrong })),
    );
  }

  named(): readonly HeldObject[] {
    const named: HeldObject[] = [];
    for (const wrong of [true, false]) {
      for (const held of this.#held.values()) {
        for (const each of held) {
          if (named.length === namedObjects) return named;
          if (each.wrong === wrong) named.push(each);
        }
      }
    }
    return named;
  }
}
