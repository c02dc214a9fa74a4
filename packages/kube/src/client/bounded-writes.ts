import type { Clock } from '../clock/clock.ts';
import { formatKey, type KubeObject, type ObjectMeta } from '../objects/object.ts';

import { OutageGate } from '../reflector/outage-gate.ts';
import { groupResourceOf, type Resource } from '../objects/resource.ts';
import type { StreamingClient } from './streaming-client.ts';

/** A second try hides a connection that was closed while it was idle; everything else is for the work queue. */
const attempts = 2;

/**
 * The longest that a write may be under way. The API server ends one of its own accord after 34 s, and until then a webhook
 * that it may ignore in the end, somebody else's too, may keep it: who gives up sooner never gets through where an
 * administrator does. A leader that is deposed gives up at once all the same, by the signal of its work.
 */
const writeTimeoutMs = 36_000;

/** No webhook keeps a read; one that takes longer is on a connection whose other end is gone. */
const readTimeoutMs = 4_000;

/** What {@link boundedWrites} sends. */
export type BoundedWrites = Pick<
  StreamingClient,
  'get' | 'list' | 'create' | 'patch' | 'apply' | 'delete' | 'createByApply'
>;

/**
 * A client for writes. A write is sent within `sendWithinMs` milliseconds or not at all, waits for its answer as long as the API
 * server may take, and does not storm a server that is away.
 */
export function boundedWrites(
  client: StreamingClient,
  { clock, sendWithinMs }: { readonly clock: Clock; readonly sendWithinMs: number },
): BoundedWrites {
  const gate = new OutageGate(clock);
  const bound = { timeoutMs: writeTimeoutMs, sendWithinMs, attempts };
  const read = { timeoutMs: readTimeoutMs, attempts };
  const named = (verb: string, resource: Resource<KubeObject>, key: Pick<ObjectMeta, 'namespace' | 'name'>) =>
    `${verb} ${groupResourceOf(resource)} ${formatKey(key)}`;
  return {
    get: async (resource, key, options) =>
      gate.pass(named('get', resource, key), async () => client.get(resource, key, { ...options, ...read })),
    list: async (resource, options) =>
      gate.pass(`list ${groupResourceOf(resource)}`, async () =>
        client.list(resource, { ...options, ...read }),
      ),
    create: async (resource, object, options) =>
      gate.pass(named('create', resource, object.metadata), async () =>
        client.create(resource, object, { ...options, ...bound, attempts: options?.attempts ?? attempts }),
      ),
    patch: async (resource, key, patch, options) =>
      gate.pass(named('patch', resource, key), async () =>
        client.patch(resource, key, patch, { ...options, ...bound }),
      ),
    apply: async (resource, object, options) =>
      gate.pass(named('apply', resource, object.metadata), async () =>
        client.apply(resource, object, { ...options, ...bound }),
      ),
    delete: async (resource, key, options) =>
      gate.pass(named('delete', resource, key), async () =>
        client.delete(resource, key, { ...options, ...bound }),
      ),
    createByApply: async (resource, object, options) =>
      gate.pass(named('create', resource, object.metadata), async () =>
        client.createByApply(resource, object, { ...options, ...bound }),
      ),
  };
}
