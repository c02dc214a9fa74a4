import { canonicalText, deepFreeze } from '../model/json.ts';

/** Gives equal content one object and one number. */
export class Interner {
  readonly #byText = new Map<string, object>();
  readonly #byQuickText = new Map<string, object>();
  readonly #ids = new WeakMap<object, number>();
  #last = 0;

  of<T extends object>(value: T): T {
    if (this.#ids.has(value)) return value;
    // The sorted text is slow; nearly always the keys come in an order that was seen before.
    const quick = JSON.stringify(value);
    const seen = this.#byQuickText.get(quick);
    if (seen !== undefined) return seen as T;
    const text = canonicalText(value);
    const known = this.#byText.get(text);
    this.#byQuickText.set(quick, known ?? value);
    if (known !== undefined) return known as T;
    this.#last += 1;
    this.#byText.set(text, deepFreeze(value));
    this.#ids.set(value, this.#last);
    return value;
  }

  id(value: object): number {
    const known = this.#ids.get(value);
    return known ?? this.#ids.get(this.of(value)) ?? 0;
  }
}
