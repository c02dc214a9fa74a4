import type { KubeObject } from '@atoll/kube';
import type { PlannedStep } from '../explorer/planned-step.ts';
import type { State } from '../explorer/state.ts';

/** So many uids of one name are used in turn, as long as nothing refers to the one whose turn it is. */
const turns = 3;

/**
 * Uids and generated names that nothing in a state refers to. What a name was given to long ago makes no difference any
 * more: an object that goes and comes again and again comes to states that are known.
 */
/** The number that stands in a uid; 1 where a world begins with another one. */
export function numberIn({ metadata: { uid = '' } }: KubeObject): number {
  return /-\d+$/.exec(uid) === null ? 1 : Number(uid.slice(uid.lastIndexOf('-') + 1));
}

export class FreeNames {
  readonly #texts = new WeakMap<object, string>();

  uid(state: State, slot: string): string {
    const name = slot.slice(slot.indexOf('|') + 1);
    const texts = [...this.#mentions(state)];
    const last = state.made.get(slot) ?? 0;
    for (let next = last; ; next += 1) {
      const number = next - last < turns ? (next % turns) + 1 : next + 1;
      const uid = `uid-${name}-${number}`;
      if (!texts.some((text) => text.includes(`${uid}"`) || text.includes(`${uid} `))) return uid;
    }
  }

  suffix({ store, caches, pending }: State, prefix: string): string {
    const events = [...pending.values()].flat();
    for (let number = 1; ; number += 1) {
      const slot = `${prefix}${number}`;
      const isTaken = store.objects.has(slot) || caches.known.has(slot);
      if (!isTaken && !events.some((event) => event.slot === slot)) return String(number);
    }
  }

  /** Everything in which a uid can stand. */
  *#mentions(state: State): Generator<string> {
    for (const { object } of state.store.objects.values()) yield this.#text(object);
    for (const { object } of state.caches.known.values()) yield this.#text(object);
    for (const events of state.pending.values()) for (const { object } of events) yield this.#text(object);
    for (const { object } of state.echoes.values()) yield this.#text(object);
    for (const { object } of state.announced.values()) yield this.#text(object);
    const steps: PlannedStep[] = [...state.late];
    for (const running of state.running.values()) {
      steps.push(...running.steps);
      if ('parent' in running.machine) yield `${running.machine.parent.uid} `;
    }
    for (const { inDoubt } of state.remembered.values()) {
      for (const { step } of inDoubt) yield this.#text(step);
    }
    for (const { step } of steps) yield this.#text(step);
    if (state.memory !== undefined) yield this.#text(state.memory);
  }

  #text(value: object): string {
    const known = this.#texts.get(value);
    if (known !== undefined) return known;
    const text = JSON.stringify(value);
    this.#texts.set(value, text);
    return text;
  }
}
