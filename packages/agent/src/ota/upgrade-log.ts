import type { Answer } from '../http/answer.ts';
import type { UpgradeRecord } from './upgrade-record.ts';

const mostRecords = 256;

/** The upgrades that were asked for, the newest of each pod name; the oldest go when there are too many. */
export class UpgradeLog {
  readonly #records = new Map<string, UpgradeRecord>();
  readonly #underWay = new Map<string, Promise<Answer>>();

  constructor(kept: readonly UpgradeRecord[] = []) {
    for (const record of kept) this.put(record);
  }

  /** One attempt for each pod name at a time: who asks meanwhile gets its answer. Of two, each would take the other for what was before it. */
  async once(namespace: string, pod: string, attempt: () => Promise<Answer>): Promise<Answer> {
    const key = keyOf(namespace, pod);
    const underWay = this.#underWay.get(key) ?? attempt().finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, underWay);
    return underWay;
  }

  /** Replaces what is recorded under the pod's name. */
  put(record: UpgradeRecord): void {
    const key = keyOf(record.namespace, record.pod);
    this.#records.delete(key);
    this.#records.set(key, record);
    const [oldest] = this.#records.keys();
    if (this.#records.size > mostRecords && oldest !== undefined) this.#records.delete(oldest);
  }

  remove(record: UpgradeRecord): void {
    this.#records.delete(keyOf(record.namespace, record.pod));
  }

  get(namespace: string, pod: string): UpgradeRecord | undefined {
    return this.#records.get(keyOf(namespace, pod));
  }

  list(): readonly UpgradeRecord[] {
    return [...this.#records.values()];
  }
}

function keyOf(namespace: string, pod: string): string {
  return `${namespace}/${pod}`;
}
