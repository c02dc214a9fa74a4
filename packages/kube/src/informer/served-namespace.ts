import type { OptionalCache } from '../cache/optional-cache.ts';
import type { KubeObject } from '../objects/object.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Namespace } from '../types/index.ts';
import { whileNamespaceIsThere, type Followed, type FollowRule } from './follow-rule.ts';
import type { OptionalInformer } from './optional-informer.ts';

/**
 * How far a namespace is: `absent` where it does not exist or is being deleted, `loading` while its objects are read for the first
 * time, `unreadable` where some of them cannot be read.
 */
export type NamespaceState = 'unknown' | 'absent' | 'loading' | 'unreadable' | 'served';

/** What reads the objects of a namespace, as far as its {@link ServedNamespace} looks at it. */
export type NamespacePart = Pick<OptionalInformer<KubeObject>, 'following' | 'onPresence' | 'state'> & {
  readonly cache: Pick<OptionalCache<KubeObject>, 'served' | 'synced' | 'unreadable'>;
};

/** Called when the objects of a namespace become readable, and before they are no longer. */
export interface NamespaceListener {
  shown(): void;
  hidden(): void;
}

/**
 * One of the namespaces that a process is limited to. Its objects become readable in all caches at the same moment, when each cache
 * has read its own, and vanish from all at the same moment: a workload that is seen while its children are not read yet would get
 * them twice. Other namespaces do not wait for it.
 */
export class ServedNamespace {
  readonly name: string;
  /** Names it in every line. */
  readonly logger: Logger;
  /** While it is there. */
  readonly rule: FollowRule;
  /** Resolves when it is known for the first time whether it can be served. */
  readonly settled: Promise<void>;
  readonly #parts: (readonly [NamespacePart, FollowRule])[] = [];
  readonly #listeners = new Set<NamespaceListener>();
  readonly #settled = Promise.withResolvers<void>();
  #state: NamespaceState = 'unknown';
  #since: string | undefined;
  #why: string | undefined;

  /** `namespaces` follows this namespace, and need not be started. */
  constructor(name: string, namespaces: Followed<Namespace>, logger: Logger) {
    this.name = name;
    this.logger = logger.child({ namespace: name });
    this.rule = whileNamespaceIsThere(namespaces, name);
    this.settled = this.#settled.promise;
    // Before any part looks: what is gone vanishes from all caches before the first of them drops it.
    this.rule.subscribe(() => this.#look());
  }

  get state(): NamespaceState {
    return this.#state;
  }

  get isShown(): boolean {
    return this.#state === 'served';
  }

  /** Its objects are readable only while those of this part are. `rule`: when the part follows them. */
  add(part: NamespacePart, rule: FollowRule): void {
    this.#parts.push([part, rule]);
    part.onPresence(() => this.#look());
  }

  /** In the order in which they subscribed. */
  subscribe(listener: NamespaceListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #look(): void {
    const answer = this.rule.now();
    if (answer === 'unknown') return;
    const since = answer === 'no' ? undefined : answer.since;
    if (since !== this.#since) this.#hide();
    this.#since = since;
    if (since === undefined) return this.#become('absent');
    const unreadable = this.#parts.find(([{ cache }]) => cache.unreadable !== undefined)?.[0].cache
      .unreadable;
    if (unreadable !== undefined) return this.#become('unreadable', unreadable.why);
    if (this.isShown || this.#parts.every(isRead)) return this.#become('served');
    this.#become('loading');
  }

  #become(state: Exclude<NamespaceState, 'unknown'>, why?: string): void {
    const before = this.#state;
    if (before === state && this.#why === why) return;
    if (before === 'served') this.#hide();
    this.#state = state;
    this.#why = why;
    if (state === 'served') for (const listener of this.#listeners) listener.shown();
    this.#log(state, before, why);
    if (state !== 'loading') this.#settled.resolve();
  }

  #hide(): void {
    if (!this.isShown) return;
    this.#state = 'loading';
    for (const listener of this.#listeners) listener.hidden();
  }

  #log(state: NamespaceState, before: NamespaceState, why: string | undefined): void {
    if (state === 'served') this.logger.info({}, 'the namespace is served');
    if (state === 'absent')
      this.logger.warn(
        {},
        before === 'unknown'
          ? 'the namespace does not exist, waiting for it'
          : 'the namespace is gone or being deleted, waiting until it is there again',
      );
    if (state === 'unreadable')
      this.logger.warn({ why }, 'the namespace cannot be read and is not served until it can');
  }
}

/** Whether the part follows its present rule: a part hears of a change after the namespace did. */
function isRead([{ cache, following }, rule]: readonly [NamespacePart, FollowRule]): boolean {
  const answer = rule.now();
  if (answer === 'unknown') return false;
  if (answer === 'no') return following === undefined && cache.synced && !cache.served;
  return following === answer.since && cache.served && cache.synced;
}
