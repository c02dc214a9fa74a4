import { isApiError } from '../client/api-error.ts';
import { boundedRequest } from '../client/bounded-request.ts';
import type { Client } from '../client/client.ts';
import { sleep, type Clock } from '../clock/clock.ts';
import { checkedTiming, type ElectionTiming } from './election-timing.ts';
import { ended } from '../manager/ended.ts';
import {
  heldSpec,
  holderOf,
  mayTakeDeletedLease,
  mayTakeLease,
  observeLease,
  releasedSpec,
  type ObservedLease,
} from './lease-record.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { apiVersionOf } from '../objects/resource.ts';
import { leases } from '../objects/resources.ts';
import type { Lease, LeaseSpec } from '../types/index.ts';

/** What a {@link LeaderElector} is made of. Durations in milliseconds. */
export interface LeaderElectionOptions {
  /** Other requests must never delay a renewal: that of `createClient` keeps connections for leases alone. */
  readonly client: Pick<Client, 'get' | 'create' | 'update'>;
  readonly lease: { readonly namespace: string; readonly name: string };
  /** Unique per process: a host name alone is not, where a process is restarted. */
  readonly identity: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics?: Metrics | undefined;
  /** How long other candidates wait for a leader that does not renew. Default 15 s. */
  readonly leaseDurationMs?: number;
  /** How long a leader that cannot renew still counts itself leader. Default 10 s. */
  readonly renewDeadlineMs?: number;
  /** Between two attempts to acquire or to renew. Default 2 s. */
  readonly retryPeriodMs?: number;
  /** The longest that one request for the lease itself may be under way, and at most a third of the renew deadline. Default 4 s. */
  readonly requestTimeoutMs?: number;
  /**
   * The longest that a write of the leader may wait between the question {@link LeaderElector.isLeader} and its send; its
   * client must keep to it. Default 4 s.
   */
  readonly sendWithinMs?: number;
  /** From 0 to 1, for jitter. */
  readonly random?: () => number;
  /** The leader's work; the signal ends when it must stop, and the lease is kept until it has. */
  readonly onStartedLeading: (signal: AbortSignal) => Promise<void> | void;
  readonly onStoppedLeading?: () => void;
  /** Another identity was seen to hold the lease, or we do. */
  readonly onNewLeader?: (identity: string) => void;
}

/** `stopped`: the signal ended. `lost`: the lease could not be renewed in time, or another holds it. */
export type ElectionEnd = 'stopped' | 'lost';

/** A term of leadership: until when it certainly holds if no renewal succeeds. */
interface Term {
  readonly leading: AbortController;
  heldUntil: { readonly monotonic: number; readonly wall: number };
  cancelDeadline: () => void;
}

/**
 * Leader election on a Lease, as client-go does it. At most one candidate's {@link isLeader} is true at any moment, as
 * long as clocks run at about the same rate: a leader counts from before the request that renewed, the others from
 * after they saw it, and lease duration > renew deadline + the longest wait for a send. What was sent before may take
 * effect later, for as long as the API server works on it: such a write needs a precondition. A lease that somebody deletes is taken when it
 * would have run out, after five minutes at the latest; only a candidate that has not seen it cannot know that.
 */
export class LeaderElector {
  readonly #options: LeaderElectionOptions;
  readonly #timing: ElectionTiming;
  readonly #random: () => number;
  readonly #logger: Logger;
  #observed: ObservedLease | undefined;
  #announced: string | undefined;
  #term: Term | undefined;
  /** A write that takes the lease was sent. */
  #triedToTake = false;

  /** Throws a RangeError that names the option where the durations cannot work together. */
  constructor(options: LeaderElectionOptions) {
    this.#options = options;
    this.#timing = checkedTiming(options);
    this.#random = options.random ?? Math.random;
    const { namespace, name } = options.lease;
    this.#logger = options.logger.child({ lease: `${namespace}/${name}`, identity: options.identity });
    this.#setStatus(0);
  }

  /**
   * Whether this process may write now; to be asked directly before each request. False as soon as leadership is in
   * doubt: a process that was stopped for a while asks the clock and not its own memory. The wall clock is asked
   * too, as the monotonic one stands still while a machine is suspended.
   */
  isLeader(): boolean {
    const { clock } = this.#options;
    const term = this.#term;
    if (term === undefined) return false;
    return clock.monotonic() < term.heldUntil.monotonic && clock.now() < term.heldUntil.wall;
  }

  /**
   * Whether this process leads and has renewed lately: less than half of the time ago that lies between when a renewal is due
   * and the renew deadline. A leader that cannot renew begins nothing new, so that what it has begun has some more seconds
   * to end before another leads.
   */
  mayBegin(): boolean {
    const { clock } = this.#options;
    const { renewDeadlineMs, retryPeriodMs } = this.#timing;
    const { heldUntil } = this.#term ?? {};
    const leftMs = heldUntil === undefined ? 0 : heldUntil.monotonic - clock.monotonic();
    return this.isLeader() && leftMs > (renewDeadlineMs - retryPeriodMs) / 2;
  }

  /** Who was last seen to hold the lease. */
  get leader(): string | undefined {
    return holderOf(this.#observed);
  }

  /** Waits for leadership, leads, and returns when leading is over. Rejects only with what the leader's work or `onStoppedLeading` throws. */
  async run(signal: AbortSignal): Promise<ElectionEnd> {
    const term = await this.#acquire(signal);
    if (term === undefined || signal.aborted) {
      await this.#leaveCandidacy(term);
      return 'stopped';
    }
    this.#logger.info({}, 'became leader');
    this.#setStatus(1);
    const workDone = new AbortController();
    const stopWork = (): void => term.leading.abort(signal.reason);
    signal.addEventListener('abort', stopWork, { once: true });
    try {
      const work = this.#work(term).finally(() => workDone.abort());
      // A renewal under way is waited for, so that the release below has the last version of the lease.
      await Promise.allSettled([work, this.#renew(term, workDone.signal)]);
      await work;
      return signal.aborted ? 'stopped' : 'lost';
    } finally {
      signal.removeEventListener('abort', stopWork);
      term.leading.abort();
      this.#endTerm(term, 'the work is over');
      this.#setStatus(0);
      try {
        this.#options.onStoppedLeading?.();
      } finally {
        await this.#release();
      }
    }
  }

  async #acquire(signal: AbortSignal): Promise<Term | undefined> {
    while (!signal.aborted) {
      const term = await this.#attempt(signal, undefined);
      if (term !== undefined) return term;
      await sleep(this.#options.clock, this.#jittered(), signal);
    }
    return undefined;
  }

  /** Asked to end before it led: a lease that it has taken all the same, or may have, is given back. */
  async #leaveCandidacy(term: Term | undefined): Promise<void> {
    if (term !== undefined) {
      term.leading.abort();
      this.#endTerm(term, 'the candidate ends');
    }
    if (this.#triedToTake) await this.#release(true);
  }

  /** Runs the leader's work; work that returns early leaves the lease held until the signal ends. */
  async #work(term: Term): Promise<void> {
    await this.#options.onStartedLeading(term.leading.signal);
    await ended(term.leading.signal);
  }

  /** An attempt that went unanswered has used the wait up already: the deadline leaves time for few. */
  async #renew(term: Term, workDone: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    let attemptedAt = clock.monotonic();
    for (;;) {
      await sleep(clock, attemptedAt + this.#timing.retryPeriodMs - clock.monotonic(), workDone);
      if (workDone.aborted || this.#term !== term) return;
      attemptedAt = clock.monotonic();
      await this.#attempt(undefined, term);
    }
  }

  /**
   * Tries once to take or renew the lease. Never rejects: every failure means "not now". With a term, success prolongs
   * it, and the sight of another holder ends it.
   */
  async #attempt(signal: AbortSignal | undefined, term: Term | undefined): Promise<Term | undefined> {
    try {
      return await this.#tryToHold(signal, term);
    } catch (error) {
      if (signal?.aborted === true) return undefined;
      const fields = { err: error };
      if (isApiError(error, 'Conflict') || isApiError(error, 'AlreadyExists')) {
        this.#logger.debug(fields, 'another candidate was faster');
      } else {
        this.#logger.warn(fields, term === undefined ? 'lease not acquired' : 'lease not renewed');
      }
      return undefined;
    }
  }

  async #tryToHold(signal: AbortSignal | undefined, term: Term | undefined): Promise<Term | undefined> {
    // A leader has what it wrote: one request renews, unless somebody wrote in between.
    if (
      term !== undefined &&
      this.#observed !== undefined &&
      holderOf(this.#observed) === this.#options.identity
    ) {
      try {
        return await this.#write(this.#observed, term);
      } catch (error) {
        if (!isApiError(error, 'Conflict') && !isApiError(error, 'NotFound')) throw error;
      }
    }
    const live = await this.#read(signal);
    // Somebody may delete it: its holder leads all the same, until it finds that out or its time is over.
    const observed = live ?? this.#observed;
    const mayTake = live === undefined ? mayTakeDeletedLease : mayTakeLease;
    if (observed !== undefined && !mayTake(observed, this.#candidate, this.#options.clock.monotonic())) {
      if (term !== undefined) this.#endTerm(term, `${holderOf(observed)} holds the lease`);
      return undefined;
    }
    if (signal?.aborted === true) return undefined;
    this.#triedToTake ||= term === undefined;
    // A write is not given up with the signal: it might still take the lease, for nobody.
    return this.#write(live, term);
  }

  async #read(signal: AbortSignal | undefined): Promise<ObservedLease | undefined> {
    const { client, lease } = this.#options;
    try {
      const live = await this.#bounded(signal, async (options) => client.get(leases, lease, options));
      return this.#see(live);
    } catch (error) {
      if (isApiError(error, 'NotFound')) return undefined;
      throw error;
    }
  }

  async #write(before: ObservedLease | undefined, term: Term | undefined): Promise<Term | undefined> {
    const { client, clock } = this.#options;
    // Counted from before the request: other replicas start counting after it.
    const sentAt = { monotonic: clock.monotonic(), wall: clock.now() };
    const spec = heldSpec(before?.lease.spec, this.#candidate, sentAt.wall);
    const written = await this.#bounded(undefined, async (options) =>
      before === undefined
        ? client.create(leases, this.#newLease(spec), options)
        : client.update(leases, { ...before.lease, spec }, options),
    );
    const holder = holderOf(this.#see(written));
    if (holder !== this.#options.identity) throw new Error(`the answer names ${holder} as the holder`);
    return this.#hold(sentAt, term);
  }

  #hold(
    sentAt: { readonly monotonic: number; readonly wall: number },
    term: Term | undefined,
  ): Term | undefined {
    const { clock } = this.#options;
    const { renewDeadlineMs } = this.#timing;
    const heldUntil = { monotonic: sentAt.monotonic + renewDeadlineMs, wall: sentAt.wall + renewDeadlineMs };
    const left = heldUntil.monotonic - clock.monotonic();
    // The answer came when it was worth nothing any more: the process was stopped meanwhile, or the term has ended.
    if (left <= 0 || this.#term !== term) return undefined;
    const held: Term = term ?? { leading: new AbortController(), heldUntil, cancelDeadline: () => undefined };
    held.cancelDeadline();
    held.heldUntil = heldUntil;
    held.cancelDeadline = clock.setTimer(left, () =>
      this.#endTerm(held, 'the lease was not renewed in time'),
    );
    this.#term = held;
    return held;
  }

  #endTerm(term: Term, why: string): void {
    if (this.#term !== term) return;
    this.#term = undefined;
    term.cancelDeadline();
    if (term.leading.signal.aborted) {
      this.#logger.info({}, 'stopped leading');
    } else {
      this.#logger.error({ why }, 'leadership lost');
      term.leading.abort(new Error(`leadership lost: ${why}`));
    }
  }

  /** Best effort: where it fails, the next leader waits for the lease to run out. `inDoubt`: what was written last is not known. */
  async #release(inDoubt = false): Promise<void> {
    try {
      const observed = inDoubt ? await this.#read(undefined) : this.#observed;
      if (await this.#tryToRelease(observed)) this.#logger.info({}, 'lease released');
    } catch (error) {
      this.#logger.warn({ err: error }, 'lease not released');
    }
  }

  async #tryToRelease(observed: ObservedLease | undefined): Promise<boolean> {
    const { client, clock, identity } = this.#options;
    const { lease } = observed ?? {};
    if (lease?.spec?.holderIdentity !== identity) return false;
    const spec = releasedSpec(lease.spec, clock.now());
    try {
      await this.#bounded(undefined, async (options) => client.update(leases, { ...lease, spec }, options));
      return true;
    } catch (error) {
      if (!isApiError(error, 'Conflict')) throw error;
      // Our own last renewal, whose answer was lost, or another holder.
      const live = await this.#read(undefined);
      if (live?.lease.metadata.resourceVersion === lease.metadata.resourceVersion) throw error;
      return this.#tryToRelease(live);
    }
  }

  /** What a request still does after its time is covered by the lease's resourceVersion. */
  #bounded<T>(
    signal: AbortSignal | undefined,
    request: (options: { signal: AbortSignal; timeoutMs: number }) => Promise<T>,
  ): Promise<T> {
    const { renewDeadlineMs, requestTimeoutMs } = this.#timing;
    const timeoutMs = Math.min(requestTimeoutMs, renewDeadlineMs / 3);
    return boundedRequest(this.#options.clock, timeoutMs, signal, request);
  }

  #see(lease: ObservedLease['lease']): ObservedLease {
    this.#observed = observeLease(this.#observed, lease, this.#options.clock.monotonic());
    const holder = holderOf(this.#observed);
    if (holder !== undefined && holder !== this.#announced) {
      this.#announced = holder;
      this.#options.onNewLeader?.(holder);
    }
    return this.#observed;
  }

  #newLease(spec: LeaseSpec): Lease {
    const { namespace, name } = this.#options.lease;
    return { apiVersion: apiVersionOf(leases), kind: leases.kind, metadata: { namespace, name }, spec };
  }

  get #candidate(): { readonly identity: string; readonly leaseDurationMs: number } {
    return { identity: this.#options.identity, leaseDurationMs: this.#timing.leaseDurationMs };
  }

  /** Candidates spread out, so that they do not all try when a lease runs out. */
  #jittered(): number {
    return this.#timing.retryPeriodMs * (1 + 1.2 * this.#random());
  }

  #setStatus(value: 0 | 1): void {
    this.#options.metrics?.leaderElection.status.set({ name: this.#options.lease.name }, value);
  }
}
