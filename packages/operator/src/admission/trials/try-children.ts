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
/** What is left of it for the dry run at least: one that had no place before is not sent. */
const answerMs = 500;
/** Where answers are slow, more would take the connections of the controllers' requests (`requestSockets`). */
const mostUnderWay = 16;
/** So that one namespace in which answers are slow leaves places to others. */
const mostOfNamespace = 6;

/** Lets the API server judge children by dry run, each rendering once: the same question gets the same answer for a while. */
export class TryChildren {
  readonly #options: TryChildrenOptions;
  readonly #known = new Map<string, Known>();
  readonly #underWay = new InFlightLimit(mostUnderWay);
  /** By namespace, as long as there are trials of it. */
  readonly #ofNamespace = new Map<string, InFlightLimit>();

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
    const { namespace = '' } = trial.object.metadata;
    const end = clock.monotonic() + timeoutMs;
    const waiting = new AbortController();
    const cancel = clock.setTimer(timeoutMs - answerMs, () => waiting.abort());
    const own = this.#ofNamespace.get(namespace) ?? new InFlightLimit(mostOfNamespace);
    this.#ofNamespace.set(namespace, own);
    try {
      const verdict = await inside(own, waiting.signal, () =>
        inside(this.#underWay, waiting.signal, () => {
          cancel();
          return this.#send(trial, Math.max(1, end - clock.monotonic()));
        }),
      );
      return verdict ?? noPlace;
    } finally {
      cancel();
      if (own.held === 0 && own.waiting === 0) this.#ofNamespace.delete(namespace);
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

const noPlace: TrialVerdict = {
  outcome: 'unknown',
  why: `there was no place for its dry run within ${(timeoutMs - answerMs) / 1000} s, as too many others were under way`,
};

/** What comes of a task that has one of the places; undefined: there was none before the signal ended. */
async function inside<T>(
  limit: InFlightLimit,
  signal: AbortSignal,
  task: () => Promise<T>,
): Promise<T | undefined> {
  if (!(await limit.enter(signal))) return undefined;
  try {
    return await task();
  } finally {
    limit.leave();
  }
}
