import type { Clock } from '@atoll/kube';

/** How many passes a controller makes: those of the last whole second, and in the running one whatever is more. */
export class PassRate {
  readonly #clock: Clock;
  #second = 0;
  #counted = 0;
  #before = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  count(): void {
    this.#turn();
    this.#counted += 1;
  }

  get perSecond(): number {
    this.#turn();
    return Math.max(this.#counted, this.#before);
  }

  #turn(): void {
    const second = Math.floor(this.#clock.monotonic() / 1_000);
    if (second === this.#second) return;
    this.#before = second === this.#second + 1 ? this.#counted : 0;
    this.#second = second;
    this.#counted = 0;
  }
}
