import { ApiError } from '../client/api-error.ts';
import type { Client } from '../client/client.ts';
import type { Clock } from '../clock/clock.ts';
import type { KubeObject, Stored } from '../objects/object.ts';
import type { Lease } from '../types/index.ts';

/** What becomes of one request; times in milliseconds on the way there and back. */
export type Weather =
  | { readonly kind: 'answered'; readonly before: number; readonly after: number }
  | { readonly kind: 'answer-lost'; readonly before: number }
  | { readonly kind: 'never-arrived' }
  | { readonly kind: 'refused'; readonly code: number };

type LeaseClient = Pick<Client, 'get' | 'create' | 'update'>;

/**
 * One lease with the API server's optimistic concurrency, for tests. Requests are not called back: what was sent
 * may arrive and take effect after its sender gave up.
 */
export class FakeLeaseServer {
  lease: Stored<Lease> | undefined;
  requests = 0;
  weather: () => Weather = () => ({ kind: 'answered', before: 0, after: 0 });
  readonly #clock: Clock;
  #version = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A client whose answers are handed over by `deliver`, so that a stopped process gets them when it runs again. */
  clientFor(deliver: (callback: () => void) => void): LeaseClient {
    // The three methods are generic over resources; this server serves leases only.
    const send = async <T>(run: () => Stored<Lease>): Promise<T> =>
      (await this.#send(run, deliver)) as unknown as T;
    return {
      get: async () => send(() => this.#get()),
      create: async (_, object) => send(() => this.#create(asLease(object))),
      update: async (_, object) => send(() => this.#update(asLease(object))),
    };
  }

  #send(run: () => Stored<Lease>, deliver: (callback: () => void) => void): Promise<Stored<Lease>> {
    this.requests++;
    const weather = this.weather();
    return new Promise((resolve, reject) => {
      const later = (milliseconds: number, callback: () => void): void => {
        if (milliseconds === 0) callback();
        else this.#clock.setTimer(milliseconds, callback);
      };
      if (weather.kind === 'never-arrived') return;
      if (weather.kind === 'refused') {
        return deliver(() =>
          reject(failure(weather.code, weather.code === 429 ? 'TooManyRequests' : 'InternalError')),
        );
      }
      later(weather.before, () => {
        const outcome = attempt(run);
        if (weather.kind === 'answer-lost') return;
        later(weather.after, () =>
          deliver(() => ('error' in outcome ? reject(outcome.error) : resolve(outcome.value))),
        );
      });
    });
  }

  #get(): Stored<Lease> {
    if (this.lease === undefined) throw failure(404, 'NotFound');
    return this.lease;
  }

  #create(lease: Lease): Stored<Lease> {
    if (this.lease !== undefined) throw failure(409, 'AlreadyExists');
    return this.#store(lease);
  }

  #update(lease: Lease): Stored<Lease> {
    if (this.lease === undefined) throw failure(404, 'NotFound');
    if (lease.metadata.resourceVersion !== this.lease.metadata.resourceVersion)
      throw failure(409, 'Conflict');
    return this.#store(lease);
  }

  #store(lease: Lease): Stored<Lease> {
    this.#version++;
    const creationTimestamp = lease.metadata.creationTimestamp ?? '2026-01-01T00:00:00Z';
    const uid = lease.metadata.uid ?? `uid-${this.#version}`;
    this.lease = {
      ...lease,
      metadata: { ...lease.metadata, uid, creationTimestamp, resourceVersion: String(this.#version) },
    };
    return this.lease;
  }
}

function asLease(object: KubeObject): Lease {
  return object;
}

function failure(code: number, reason: string): ApiError {
  return new ApiError({ fate: 'refused', code, reason, message: reason, attempted: 'lease request' });
}

function attempt<T>(run: () => T): { readonly value: T } | { readonly error: ApiError } {
  try {
    return { value: run() };
  } catch (error) {
    if (error instanceof ApiError) return { error };
    throw error;
  }
}
