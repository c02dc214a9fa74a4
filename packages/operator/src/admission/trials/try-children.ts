import { fieldManagers } from '@atoll/api';
import { InFlightLimit, isApiError, type Client, type Clock, type KubeObject } from '@atoll/kube';
import { judgeRefusal, type TrialVerdict } from './judge-refusal.ts';
import type { Trial } from './trial.ts';

export interface TryChildrenOptions {
  readonly client: Pick<Client, 'create' | 'apply'>;
  readonly clock: Clock;
}

interface Known {
  readonly verdict: Promise<TrialVerdict>;
  readonly until: number;
}

const mostKnown = 256;
/** For so long a verdict is remembered: policies and quotas change. */
const rememberMs = 30_000;
/** What a trial may take, with its wait for a place: less than the API server waits for us. */
const timeoutMs = 3_000;
/** Where answers are slow, more would take the connections of the controllers' requests (`requestSockets`). */
const mostUnderWay = 16;

/** Lets the API server judge children by dry run, each rendering once: the same question gets the same answer for a while. */
export class TryChildren {
  readonly #options: TryChildrenOptions;
  readonly #known = new Map<string, Known>();
  readonly #underWay = new InFlightLimit(mostUnderWay);

  constructor(options: TryChildrenOptions) {
    this.#options = options;
  }

  /** Never rejects. */
  async verdictOf(trial: Trial): Promise<TrialVerdict> {
    const now = this.#options.clock.monotonic();
    const known = this.#known.get(trial.key);
    if (known !== undefined && now < known.until) return known.verdict;
    const asked = { verdict: this.#ask(trial), until: now + rememberMs };
    this.#remember(trial.key, asked);
    const verdict = await asked.verdict;
    // What is not the template's alone may be otherwise a moment later.
    const lasting = verdict.outcome === 'fine' || verdict.outcome === 'invalid';
    if (!lasting && this.#known.get(trial.key) === asked) this.#known.delete(trial.key);
    return verdict;
  }

  #remember(key: string, known: Known): void {
    this.#known.delete(key);
    this.#known.set(key, known);
    const [oldest] = this.#known.keys();
    if (this.#known.size > mostKnown && oldest !== undefined) this.#known.delete(oldest);
  }

  async #ask(trial: Trial): Promise<TrialVerdict> {
    const { clock } = this.#options;
    const end = clock.monotonic() + timeoutMs;
    const waiting = new AbortController();
    const cancel = clock.setTimer(timeoutMs, () => waiting.abort());
    const entered = await this.#underWay.enter(waiting.signal);
    cancel();
    if (!entered) {
      const why = `there was no place for its dry run within ${timeoutMs / 1000} s, as ${mostUnderWay} others were under way`;
      return { outcome: 'unknown', why };
    }
    try {
      return await this.#send(trial, Math.max(1, end - clock.monotonic()));
    } finally {
      this.#underWay.leave();
    }
  }

  async #send({ resource, object, uid }: Trial, leftMs: number): Promise<TrialVerdict> {
    const { client } = this.#options;
    const options = { fieldManager: fieldManagers.atoll, dryRun: true, timeoutMs: leftMs, attempts: 1 };
    try {
      if (uid === undefined) {
        await client.create<KubeObject>(resource, object, options);
      } else {
        const metadata = { ...object.metadata, uid };
        await client.apply(resource, { ...object, metadata }, { ...options, force: true });
      }
      return { outcome: 'fine' };
    } catch (error) {
      if (isApiError(error)) return judgeRefusal(error, object);
      return { outcome: 'unknown', why: error instanceof Error ? error.message : String(error) };
    }
  }
}
