import type { Informer, Pod, Stored } from '@atoll/kube';

/** The pods of the node: as they were kept on disk, until the first list of the API server is here. */
export class PodStore {
  readonly #informer: Pick<Informer<Pod>, 'cache' | 'synced' | 'subscribe'>;
  readonly #kept: readonly Stored<Pod>[] | undefined;

  constructor(
    informer: Pick<Informer<Pod>, 'cache' | 'synced' | 'subscribe'>,
    kept: readonly Stored<Pod>[] | undefined,
  ) {
    this.#informer = informer;
    this.#kept = kept;
  }

  /** Undefined: nothing was ever listed. */
  list(): readonly Stored<Pod>[] | undefined {
    return this.isListed ? this.#informer.cache.list() : this.#kept;
  }

  /** Whether the API server has listed the pods since the start. */
  get isListed(): boolean {
    return this.#informer.cache.synced;
  }

  /** Calls the listener after each change; returns how to stop. */
  onChange(listener: () => void): () => void {
    let isStopped = false;
    const stop = this.#informer.subscribe(() => listener());
    // A list that holds no pods brings no events.
    this.#informer.synced.then(
      () => (isStopped ? undefined : listener()),
      () => undefined,
    );
    return () => {
      isStopped = true;
      stop();
    };
  }
}
