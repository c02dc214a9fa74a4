import { ApiError } from '../client/api-error.ts';
import type { Client } from '../client/client.ts';
import type { KubeObject, Stored } from '../objects/object.ts';
import type { Secret } from '../types/index.ts';

/** One Secret of an API server, for tests: versions, conflicts, and an API server that is away. */
export class FakeSecretServer implements Pick<Client, 'get' | 'apply'> {
  secret: Stored<Secret> | undefined;
  writes = 0;
  away = false;
  /** Runs before each write: another replica that is quicker. */
  beforeWrite: (() => Promise<void>) | undefined;
  #version = 1;

  async get<T extends KubeObject>(): Promise<Stored<T>> {
    this.#answer();
    if (this.secret === undefined) throw refusal(404, 'NotFound');
    return this.secret as unknown as Stored<T>;
  }

  async apply<T extends KubeObject>(_: unknown, object: KubeObject): Promise<Stored<T>> {
    this.#answer();
    const other = this.beforeWrite;
    this.beforeWrite = undefined;
    await other?.();
    const { metadata } = object;
    const found = this.secret?.metadata.resourceVersion;
    if (found !== undefined && metadata.resourceVersion !== found) throw refusal(409, 'Conflict');
    if (found === undefined && metadata.uid !== undefined) throw refusal(409, 'Conflict');
    this.#version += 1;
    this.writes += 1;
    const uid = this.secret?.metadata.uid ?? `uid-${this.#version}`;
    const resourceVersion = String(this.#version);
    const stored = { ...object, metadata: { ...metadata, uid, resourceVersion, creationTimestamp: '' } };
    this.secret = stored as unknown as Stored<Secret>;
    return stored as unknown as Stored<T>;
  }

  /** As a person with an editor. */
  damage(data: Readonly<Record<string, string>>): void {
    if (this.secret !== undefined) this.secret = { ...this.secret, data: { ...this.secret.data, ...data } };
  }

  #answer(): void {
    if (this.away) throw refusal(503, 'ServiceUnavailable');
  }
}

function refusal(code: number, reason: string): ApiError {
  return new ApiError({
    fate: 'refused',
    code,
    reason,
    message: reason,
    attempted: 'secrets system/webhook',
  });
}
