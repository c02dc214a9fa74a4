import type { Clock } from '../clock/clock.ts';
import { ended } from './ended.ts';
import { startHealthServer, type HealthChecks } from '../telemetry/health-server.ts';
import { LeaderElector, type LeaderElectionOptions } from '../leader-election/leader-election.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Pages } from '../telemetry/pages.ts';

/** Something with a life: runs until the signal ends. Ending earlier, with or without an error, is a failure. */
export interface Part {
  readonly name: string;
  /** Of a controller: resolves when the caches that it reads have their first content. Absent: it waits for all caches. */
  readonly synced?: () => Promise<void>;
  /** Of a controller: the keys of the objects that it works on now. They are named where it does not end. */
  readonly underWay?: () => readonly string[];
  run(signal: AbortSignal): Promise<void>;
}

/** The caches, as the manager sees them: what `createInformers` makes. */
export interface ManagedInformers {
  start(signal: AbortSignal): Promise<void>;
  /** Resolves when every cache has its first content. */
  synced(): Promise<void>;
  states(): ReadonlyMap<string, CacheState>;
}

interface CacheState {
  readonly synced: boolean;
  readonly lastError: Error | undefined;
  /** For how many milliseconds nothing new can be read. */
  readonly failingForMs?: number | undefined;
}

/** A cache that has failed for this long is no hiccup any more: what is decided by it may be wrong. */
const failsReadinessAfterMs = 60_000;

/** What a {@link Manager} runs. */
export interface ManagerOptions {
  readonly logger: Logger;
  readonly clock: Clock;
  readonly metrics?: Metrics | undefined;
  /** Where to serve health and metrics; not served where absent. */
  readonly health?: Omit<Pages, 'metrics'> & {
    readonly address: string;
    readonly health?: HealthChecks;
    readonly ready?: HealthChecks;
    /** Where a `SecurePages` among the services has the other pages (`port 8443`): this server then refuses them. */
    readonly pagesOverHttps?: string | undefined;
  };
  /**
   * Runs before anything else starts, but with health served: waiting for a server is no reason to restart the process.
   * What it rejects with is what {@link Manager.run} rejects with.
   */
  readonly preflight?: (signal: AbortSignal) => Promise<void>;
  readonly informers?: ManagedInformers;
  /** Run from the beginning to the very end, leader or not: the event recorder. */
  readonly services?: readonly Part[];
  /** Run while this process leads, each from the moment when its caches are synced. Each has a name of its own. */
  readonly controllers: readonly Part[];
  /** Absent: this process always leads. */
  readonly leaderElection?: Omit<
    LeaderElectionOptions,
    'clock' | 'logger' | 'metrics' | 'onStartedLeading' | 'onStoppedLeading' | 'onNewLeader'
  >;
  /** Where there is no leader election, the name under which the metrics show that this process leads, as they do with a Lease of that name. */
  readonly leadsAs?: string;
  /** Milliseconds that a shutdown may take; then {@link Manager.run} rejects with what still runs. Default 30 s. */
  readonly shutdownTimeoutMs?: number;
}

interface Running {
  /** What of it runs, for people. */
  readonly names: () => readonly string[];
  readonly stop: () => void;
  /** Whether it was asked to end. */
  readonly isStopped: () => boolean;
  /** Resolves when it has ended, however. */
  readonly ended: Promise<void>;
  done: boolean;
}

type Stage = 'starting' | 'syncing' | 'running' | 'stopping';

/**
 * Runs an operator: health server, preflight, informers and services; as soon as one controller has its caches this
 * process may lead, and as leader it runs each controller that has them. Ends all in the reverse order.
 */
export class Manager {
  readonly #options: ManagerOptions;
  readonly #elector: LeaderElector | undefined;
  readonly #stop = new AbortController();
  #stage: Stage = 'starting';
  #failure: Error | undefined;
  #leadingWithoutElection = false;
  /** The controllers that run. */
  readonly #controllers = new Set<Part>();

  /** Throws a RangeError where the leader election's durations cannot work together, or two controllers have one name. */
  constructor(options: ManagerOptions) {
    this.#options = options;
    const names = options.controllers.map(({ name }) => name);
    const twice = names.find((name, index) => names.indexOf(name) !== index);
    // Metrics have the name only: the one that works would hide the one that hangs.
    if (twice !== undefined)
      throw new RangeError(`two controllers have the name ${twice}: each needs one of its own`);
    const { leaderElection, clock, logger, metrics } = options;
    this.#elector =
      leaderElection === undefined
        ? undefined
        : new LeaderElector({
            ...leaderElection,
            clock,
            logger,
            metrics,
            onStartedLeading: async (signal) => this.#leadTerm(signal),
            onNewLeader: (leader) => logger.info({ leader }, 'leader seen'),
          });
  }

  isLeader(): boolean {
    return this.#elector?.isLeader() ?? this.#leadingWithoutElection;
  }

  /** Whether this process may send a write at this moment: it leads, and has renewed lately. To be asked directly before each. */
  mayWrite(): boolean {
    return this.#elector?.mayBegin() ?? this.#leadingWithoutElection;
  }

  /**
   * Runs until the signal ends and everything has stopped. Rejects, after stopping the rest, with the first failure of
   * a part, the loss of leadership, or a shutdown that takes too long. To be called once.
   */
  async run(signal: AbortSignal): Promise<void> {
    const stop = (): void => this.#stop.abort();
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    // Idle connections keep no process alive; this does.
    const alive = setInterval(() => undefined, 2 ** 30);
    try {
      await this.#run();
    } finally {
      clearInterval(alive);
      signal.removeEventListener('abort', stop);
    }
  }

  async #run(): Promise<void> {
    const { logger, health, informers, services = [] } = this.#options;
    const server = health === undefined ? undefined : await this.#serveHealth(health);
    let mayStart = false;
    try {
      mayStart = await this.#preflight();
    } finally {
      if (!mayStart) await server?.close();
    }
    if (!mayStart) return;
    const base = services.map((part) => this.#start(part));
    const work: Running[] = [];
    this.#stage = 'syncing';
    if (informers !== undefined) {
      base.push(this.#start({ name: 'informers', run: async (until) => informers.start(until) }));
      informers.synced().then(
        () => logger.info({}, 'caches synced'),
        () => undefined,
      );
      await this.#until(Promise.race(this.#caches()));
    }
    if (!this.#stop.signal.aborted) {
      this.#stage = 'running';
      const controllers = { name: 'controllers', run: async (until: AbortSignal) => this.#elect(until) };
      work.push(this.#start(controllers, () => this.#runningControllers()));
      await ended(this.#stop.signal);
    }
    this.#stage = 'stopping';
    const late = await this.#shutDown(work, base);
    await server?.close();
    const failure = this.#failure ?? late;
    if (failure !== undefined) throw failure;
    logger.info({}, 'stopped');
  }

  /**
   * Whether the rest may start: not where the process was asked to end meanwhile, whatever became of what it waited for. Rejects where it
   * does not end then.
   */
  async #preflight(): Promise<boolean> {
    const { preflight } = this.#options;
    const { signal } = this.#stop;
    if (preflight === undefined) return true;
    const work = preflight(signal).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
    await Promise.race([work, ended(signal)]);
    if (!signal.aborted) return true;
    const late = await this.#inTime(work, () => ['preflight']);
    if (late !== undefined) throw late;
    return false;
  }

  /** For each controller, what it waits for; one that cannot be synced any more waits for ever. */
  #caches(): readonly Promise<void>[] {
    const { controllers, informers } = this.#options;
    const all = async (): Promise<void> => informers?.synced();
    const waits = controllers.length === 0 ? [all()] : controllers.map(async ({ synced = all }) => synced());
    return waits.map(async (wait) => wait.catch(async () => ended(this.#stop.signal)));
  }

  async #until(event: Promise<void>, signal = this.#stop.signal): Promise<void> {
    await Promise.race([event, ended(signal)]);
  }

  /** What writes ends before what it reads from and sends events to. Yields an error where that takes too long. */
  async #shutDown(work: readonly Running[], base: readonly Running[]): Promise<Error | undefined> {
    const stopped = stopAll(work).then(async () => stopAll(base));
    return this.#inTime(stopped, () =>
      [...work, ...base]
        .filter(({ done, isStopped }) => isStopped() && !done)
        .flatMap(({ names }) => names()),
    );
  }

  /** Those that run, each with what it works on; where none does, the election. */
  #runningControllers(): readonly string[] {
    if (this.#controllers.size === 0) return ['leader election'];
    return [...this.#controllers].map(({ name, underWay }) => withKeys(name, underWay?.() ?? []));
  }

  /** Yields an error that names what still runs where it has not stopped within the time of a shutdown. */
  async #inTime(stopped: Promise<void>, running: () => readonly string[]): Promise<Error | undefined> {
    const { clock, logger, shutdownTimeoutMs = 30_000 } = this.#options;
    const tooLong = Promise.withResolvers<Error>();
    const cancel = clock.setTimer(shutdownTimeoutMs, () => {
      const parts = running();
      logger.error({ parts }, 'shutdown takes too long');
      tooLong.resolve(
        new Error(`shutdown took longer than ${shutdownTimeoutMs} ms; still running: ${parts.join(', ')}`),
      );
    });
    const late = await Promise.race([stopped.then(() => undefined), tooLong.promise]);
    cancel();
    return late;
  }

  async #serveHealth(health: NonNullable<ManagerOptions['health']>): Promise<{ close(): Promise<void> }> {
    const { logger, metrics, informers } = this.#options;
    const server = await startHealthServer({
      address: health.address,
      logger,
      metrics,
      gauges: health.gauges,
      metricsAccess: health.metricsAccess,
      guarded: health.guarded,
      pagesOverHttps: health.pagesOverHttps,
      ...(health.health === undefined ? {} : { health: health.health }),
      ready: {
        informers: () =>
          this.#stage === 'starting' ? 'not started' : (unsynced(informers) ?? failing(informers)),
        shutdown: () => (this.#stage === 'stopping' ? 'shutting down' : undefined),
        ...health.ready,
      },
    });
    const message = health.pagesOverHttps === undefined ? 'serving health and metrics' : 'serving health';
    logger.info({ url: server.url }, message);
    return server;
  }

  async #elect(signal: AbortSignal): Promise<void> {
    if (this.#elector === undefined) {
      this.#setLeading(true);
      try {
        return await this.#lead(signal);
      } finally {
        this.#setLeading(false);
      }
    }
    const end = await this.#elector.run(signal);
    // A restart drops all state that was kept as leader.
    if (end === 'lost') throw new Error('leadership lost');
  }

  #setLeading(isLeading: boolean): void {
    const { leadsAs: name, metrics } = this.#options;
    this.#leadingWithoutElection = isLeading;
    if (name !== undefined) metrics?.leaderElection.status.set({ name }, isLeading ? 1 : 0);
  }

  /**
   * A term that ends ends the process, and the limit of the shutdown begins then: a controller that does not end must not
   * keep a process that does nothing any more.
   */
  async #leadTerm(signal: AbortSignal): Promise<void> {
    const over = (): void => {
      if (!this.#stop.signal.aborted) this.#fail(failureOf('controllers', new Error('leadership lost')));
    };
    signal.addEventListener('abort', over, { once: true });
    if (signal.aborted) over();
    try {
      await this.#lead(signal);
    } finally {
      signal.removeEventListener('abort', over);
    }
  }

  /** Runs the controllers, each as soon as it has its caches; the first that fails ends the others. */
  async #lead(signal: AbortSignal): Promise<void> {
    const together = new AbortController();
    const stop = (): void => together.abort();
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    const { controllers, logger } = this.#options;
    logger.info({ controllers: controllers.map(({ name }) => name) }, 'controllers start with their caches');
    const caches = this.#caches();
    await Promise.all(
      controllers.map(async (part, index) => {
        try {
          await this.#until(caches[index] ?? Promise.resolve(), together.signal);
          if (together.signal.aborted) return;
          logger.debug({ controller: part.name }, 'controller starts');
          this.#controllers.add(part);
          await part.run(together.signal);
          if (!together.signal.aborted) throw new Error('it ended by itself');
        } catch (error) {
          // At once, so that the limit of the shutdown begins: another one may never end.
          this.#fail(failureOf('controllers', failureOf(part.name, error)));
          stop();
        } finally {
          this.#controllers.delete(part);
        }
      }),
    );
    // A manager without controllers (caches and services only) leads until it is stopped, and so does one that stops after a failure.
    await ended(signal);
    signal.removeEventListener('abort', stop);
  }

  #start(part: Part, names: Running['names'] = () => [part.name]): Running {
    const abort = new AbortController();
    const run = async (): Promise<void> => {
      try {
        await part.run(abort.signal);
        if (!abort.signal.aborted) throw new Error('it ended by itself');
      } catch (error) {
        this.#fail(failureOf(part.name, error));
      } finally {
        running.done = true;
      }
    };
    const running: Running = {
      names,
      stop: () => abort.abort(),
      isStopped: () => abort.signal.aborted,
      done: false,
      ended: Promise.resolve().then(run),
    };
    return running;
  }

  #fail(failure: Error): void {
    this.#options.logger.error({ err: failure }, 'stopping after a failure');
    this.#failure ??= failure;
    this.#stop.abort();
  }
}

/** So many keys of a controller that does not end are named. */
const namedKeys = 5;

function withKeys(name: string, keys: readonly string[]): string {
  if (keys.length === 0) return name;
  const more = keys.length > namedKeys ? ` and ${keys.length - namedKeys} more` : '';
  return `${name} (${keys.slice(0, namedKeys).join(', ')}${more})`;
}

async function stopAll(parts: readonly Running[]): Promise<void> {
  for (const { stop } of parts) stop();
  await Promise.all(parts.map(async (part) => part.ended));
}

/** Names the caches that are not synced, and why where it is known. */
function unsynced(informers: ManagedInformers | undefined): string | undefined {
  const missing = [...(informers?.states() ?? [])].filter(([, { synced }]) => !synced);
  if (missing.length === 0) return undefined;
  const names = missing.map(([name, { lastError }]) =>
    lastError === undefined ? name : `${name} (${lastError.message})`,
  );
  return `not synced: ${names.join('; ')}`;
}

/** Names the caches that have been failing for too long, and why. */
function failing(informers: ManagedInformers | undefined): string | undefined {
  const problems = [...(informers?.states() ?? [])].flatMap(([name, { failingForMs = 0, lastError }]) => {
    if (failingForMs < failsReadinessAfterMs) return [];
    return [`${name} for ${Math.round(failingForMs / 1000)} s (${lastError?.message ?? 'no error'})`];
  });
  return problems.length === 0 ? undefined : `failing: ${problems.join('; ')}`;
}

function failureOf(name: string, error: unknown): Error {
  const why = error instanceof Error ? error.message : String(error);
  return new Error(`${name}: ${why}`, { cause: error });
}
