import { unitedDeployments } from '@atoll/api';
import { inParallel, type StreamingClient } from '@atoll/kube';
import { requestsInFlight } from '../rollout/requests-in-flight.ts';
import type { Subject } from '../rollout/subject.ts';
import { UnitedDeploymentsBaseline } from './baseline.ts';
import { changeImage, create, keysIn, remove, zones, type Key } from './objects.ts';
import { countWrites, type Written } from './written.ts';

/** So many UnitedDeployments, all treated alike as fast as the API server takes it. */
export function manyObjects(client: StreamingClient, count: number): Subject<Written> {
  const forEach = async (namespace: string, work: (key: Key) => Promise<unknown>): Promise<unknown> =>
    inParallel(keysIn(namespace, count), requestsInFlight, work);
  return {
    plural: unitedDeployments.plural,
    children: count * zones.length,
    create: async (namespace) => forEach(namespace, async (key) => create(client, key)),
    changeImage: async (namespace) => forEach(namespace, async (key) => changeImage(client, key)),
    remove: async (namespace) => forEach(namespace, async (key) => remove(client, key)),
    baseline: (namespace) => new UnitedDeploymentsBaseline(client, keysIn(namespace, count)),
    countWrites,
  };
}
