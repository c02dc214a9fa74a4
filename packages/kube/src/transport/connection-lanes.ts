import type { Dispatcher } from 'undici';
import type { Clock } from '../clock/clock.ts';
import type { TlsMaterial } from '../credentials/authenticator.ts';
import type { ClusterAccess } from '../credentials/cluster-access.ts';
import { openConnections, type Lane, type SocketLimits } from './connections.ts';
import { ExchangeError } from './dispatch.ts';

interface OpenLane {
  readonly dispatcher: Dispatcher;
  readonly tls: TlsMaterial;
  answeredAt: number;
}

/** The connections of each lane, replaced when certificates change or when they seem dead. */
export class ConnectionLanes {
  readonly #access: ClusterAccess;
  readonly #sockets: SocketLimits;
  readonly #clock: Clock;
  readonly #open = new Map<Lane, OpenLane>();
  readonly #draining = new Set<Dispatcher>();

  constructor(access: ClusterAccess, sockets: SocketLimits, clock: Clock) {
    this.#access = access;
    this.#sockets = sockets;
    this.#clock = clock;
  }

  dispatcher(lane: Lane, tls: TlsMaterial): Dispatcher {
    const current = this.#open.get(lane);
    if (current !== undefined && sameMaterial(current.tls, tls)) return current.dispatcher;
    const dispatcher = this.#opened(lane, tls);
    this.#open.set(lane, { dispatcher, tls, answeredAt: -Infinity });
    if (current !== undefined) this.#drain(current.dispatcher);
    return dispatcher;
  }

  /** OpenSSL refuses some certificates only here, as those with keys that are too short. */
  #opened(lane: Lane, tls: TlsMaterial): Dispatcher {
    try {
      return openConnections(this.#access, tls, lane, this.#sockets[lane]);
    } catch (error) {
      throw new ExchangeError('network', false, (error as Error).message, error);
    }
  }

  answered(lane: Lane): void {
    const current = this.#open.get(lane);
    if (current !== undefined) current.answeredAt = this.#clock.monotonic();
  }

  /**
   * A request that began at `startedAt` had no answer in time. Where no other had one since, the sockets may be
   * half open: the peer is gone and no packet showed it. New requests then get new sockets.
   */
  suspect(lane: Lane, startedAt: number): void {
    const current = this.#open.get(lane);
    if (current === undefined || current.answeredAt > startedAt) return;
    this.#open.delete(lane);
    this.#drain(current.dispatcher);
  }

  async close(): Promise<void> {
    const all = [...[...this.#open.values()].map((lane) => lane.dispatcher), ...this.#draining];
    this.#open.clear();
    await Promise.all(all.map(async (dispatcher) => dispatcher.destroy()));
  }

  /** Requests under way end in peace; idle sockets close now. */
  #drain(dispatcher: Dispatcher): void {
    this.#draining.add(dispatcher);
    void dispatcher
      .close()
      .catch(() => undefined)
      .finally(() => this.#draining.delete(dispatcher));
  }
}

function sameMaterial(a: TlsMaterial, b: TlsMaterial): boolean {
  return a.ca === b.ca && a.certificate === b.certificate && a.key === b.key;
}
