import { formatKey, groupResourceOf } from '@atoll/kube';
import type { Clock, KubeObject, ObjectMeta, Resource, StreamingClient } from '@atoll/kube';
import type { ExecutorClient } from './engine/requests.ts';
import { writeTimeoutMs } from './operator-options.ts';
import { OutageGate } from './outage-gate.ts';

/** A second try hides a connection that was closed while it was idle; everything else is for the work queue. */
const attempts = 2;

/** The executor's client: no write is under way for longer than {@link writeTimeoutMs}, and none storms a server that is away. */
export function boundedWrites(client: StreamingClient, clock: Clock): ExecutorClient {
  const gate = new OutageGate(clock);
  const bound = { timeoutMs: writeTimeoutMs, attempts };
  const named = (verb: string, resource: Resource<KubeObject>, key: Pick<ObjectMeta, 'namespace' | 'name'>) =>
    `${verb} ${groupResourceOf(resource)} ${formatKey(key)}`;
  return {
    get: async (resource, key, options) =>
      gate.pass(named('get', resource, key), async () => client.get(resource, key, { ...options, ...bound })),
    create: async (resource, object, options) =>
      gate.pass(named('create', resource, object.metadata), async () =>
        client.create(resource, object, { ...options, ...bound }),
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
