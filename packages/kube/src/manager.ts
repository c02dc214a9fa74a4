import type { Clock } from './clock.ts';
import { ended } from './ended.ts';
import { startHealthServer, type HealthChecks } from './health-server.ts';
import { LeaderElector, type LeaderElectionOptions } from './leader-election.ts';
import type { Logger } from './logger.ts';
import type { Metrics } from './metrics.ts';

/** Something with a life: runs until the signal ends. Ending earlier, with or without an error, is a failure. */
export interface Part {
  readonly name: string;
  run(signal: AbortSignal): Promise<void>;
}

/** The caches, as the manager sees them: what `createInformers` makes. */
export interface ManagedInformers {
  start(signal: AbortSignal): Promise<void>;
  /** Resolves when every cache has its first content. */
  synced(): Promise<void>;
  states(): ReadonlyMap<string, { readonly synced: boolean; readonly lastError: Error | undefined }>;
}

export interface ManagerOptions {
  readonly logger: Logger;
  readonly clock: Clock;
  readonly metrics?: Metrics | undefined;
  /** Where to serve health and metrics; not served where absent. */
  readonly health?: {
    readonly address: string;
    readonly health?: HealthChecks;
    readonly ready?: HealthChecks;
  };
  /**
   * Runs before anything else starts, but with health served: waiting for a server is no reason to restart the process.
   * What it rejects with is what {@link Manager.run} rejects with.
   */
  readonly preflight?: (signal: AbortSignal) => Promise<void>;
  readonly informers?: ManagedInformers;
  /** Run from the beginning to the very end, leader or not: the event recorder. */
  readonly services?: readonly Part[];
  /** Run while this process leads, and only with synced caches. */
  readonly controllers: readonly Part[];
  /** Absent: this process always leads. */
  readonly leaderElection?: Omit<
    LeaderElectionOptions,
    'clock' | 'logger' | 'metrics' | 'onStartedLeading' | 'onStoppedLeading' | 'onNewLeader'
  >;
  /** Milliseconds that a shutdown may take; then {@link Manager.run} rejects with what still runs. Default 30 s. */
  readonly shutdownTimeoutMs?: number;
}

interface Running {
  readonly name: string;
  readonly stop: () => void;
  /** Resolves when it has ended, however. */
  readonly ended: Promise<void>;
  done: boolean;
}

type Stage = 'starting' | 'syncing' | 'running' | 'stopping';

/**
 * Runs an operator: health server, preflight, informers and services, then, with synced caches and as leader, the controllers;
 * and ends them in the reverse order.
 */
export class Manager {
  readonly #options: ManagerOptions;
  readonly #elector: LeaderElector | undefined;
  readonly #stop = new AbortController();
  #stage: Stage = 'starting';
  #failure: Error | undefined;
  #leadingWithoutElection = false;

  /** Throws a RangeError where the leader election's durations cannot work together. */
  constructor(options: ManagerOptions) {
    this.#options = options;
    const { leaderElection, clock, logger, metrics } = options;
    this.#elector =
      leaderElection === undefined
        ? undefined
        : new LeaderElector({
            ...leaderElection,
            clock,
            logger,
            metrics,
            onStartedLeading: async (signal) => this.#lead(signal),
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
    // The clock's timers and idle connections keep no process alive; this does.
    const alive = setInterval(() => undefined, 2 ** 30);
    try {
      await this.#run();
    } finally {
      clearInterval(alive);
      signal.removeEventListener('abort', stop);
    }
  }

  async #run(): Promise<void> {
    const { logger, health, preflight, informers, services = [] } = this.#options;
    const server = health === undefined ? undefined : await this.#serveHealth(health);
    try {
      await preflight?.(this.#stop.signal);
    } catch (error) {
      await server?.close();
      // Asked to end meanwhile: what it waited for does not matter any more.
      if (this.#stop.signal.aborted) return;
      throw error;
    }
    const base = services.map((part) => this.#start(part));
    const work: Running[] = [];
    this.#stage = 'syncing';
    if (informers !== undefined) {
      base.push(this.#start({ name: 'informers', run: async (until) => informers.start(until) }));
      await Promise.race([informers.synced().catch(() => undefined), ended(this.#stop.signal)]);
    }
    if (!this.#stop.signal.aborted) {
      this.#stage = 'running';
      logger.info({}, 'caches synced');
      work.push(this.#start({ name: 'controllers', run: async (until) => this.#elect(until) }));
      await ended(this.#stop.signal);
    }
    this.#stage = 'stopping';
    const late = await this.#shutDown(work, base);
    await server?.close();
    const failure = this.#failure ?? late;
    if (failure !== undefined) throw failure;
    logger.info({}, 'stopped');
  }

  /** What writes ends before what it reads from and tells events to. Yields an error where that takes too long. */
  async #shutDown(work: readonly Running[], base: readonly Running[]): Promise<Error | undefined> {
    const { clock, logger, shutdownTimeoutMs = 30_000 } = this.#options;
    const tooLong = Promise.withResolvers<Error>();
    const cancel = clock.setTimer(shutdownTimeoutMs, () => {
      const parts = [...work, ...base].filter(({ done }) => !done).map(({ name }) => name);
      logger.error({ parts }, 'shutdown takes too long');
      tooLong.resolve(
        new Error(`shutdown took longer than ${shutdownTimeoutMs} ms; still running: ${parts.join(', ')}`),
      );
    });
    const stopped = stopAll(work).then(async () => stopAll(base));
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
      ...(health.health === undefined ? {} : { health: health.health }),
      ready: {
        informers: () => (this.#stage === 'starting' ? 'not started' : unsynced(informers)),
        shutdown: () => (this.#stage === 'stopping' ? 'shutting down' : undefined),
        ...health.ready,
      },
    });
    logger.info({ url: server.url }, 'serving health and metrics');
    return server;
  }

  async #elect(signal: AbortSignal): Promise<void> {
    if (this.#elector === undefined) {
      this.#leadingWithoutElection = true;
      try {
        return await this.#lead(signal);
      } finally {
        this.#leadingWithoutElection = false;
      }
    }
    const end = await this.#elector.run(signal);
    // Starting anew is the surest way to forget everything that was believed as leader.
    if (end === 'lost') throw new Error('leadership lost');
  }

  /** Runs the controllers; the first that fails ends the others. */
  async #lead(signal: AbortSignal): Promise<void> {
    const together = new AbortController();
    const stop = (): void => together.abort();
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    this.#options.logger.info(
      { controllers: this.#options.controllers.map(({ name }) => name) },
      'controllers start',
    );
    const results = await Promise.allSettled(
      this.#options.controllers.map(async (part) => {
        try {
          await part.run(together.signal);
          if (!together.signal.aborted) throw new Error('it ended by itself');
        } catch (error) {
          stop();
          throw failureOf(part.name, error);
        }
      }),
    );
    // A manager without controllers (caches and services only) leads until it is told to stop.
    if (this.#options.controllers.length === 0) await ended(signal);
    signal.removeEventListener('abort', stop);
    for (const result of results) if (result.status === 'rejected') throw result.reason;
  }

  #start(part: Part): Running {
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
      name: part.name,
      stop: () => abort.abort(),
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

async function stopAll(parts: readonly Running[]): Promise<void> {
  for (const { stop } of parts) stop();
  await Promise.all(parts.map(async (part) => part.ended));
}

/** Says which caches are not synced, and why where it is known. */
function unsynced(informers: ManagedInformers | undefined): string | undefined {
  const missing = [...(informers?.states() ?? [])].filter(([, { synced }]) => !synced);
  if (missing.length === 0) return undefined;
  const names = missing.map(([name, { lastError }]) =>
    lastError === undefined ? name : `${name} (${lastError.message})`,
  );
  return `not synced: ${names.join('; ')}`;
}

function failureOf(name: string, error: unknown): Error {
  const why = error instanceof Error ? error.message : String(error);
  return new Error(`${name}: ${why}`, { cause: error });
}
