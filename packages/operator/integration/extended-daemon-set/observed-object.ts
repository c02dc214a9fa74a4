import {
  extendedDaemonSetLabels as labels,
  extendedDaemonSetReplicaSets,
  extendedDaemonSets,
  type ExtendedDaemonSet,
  type ExtendedDaemonSetReplicaSet,
  type ExtendedDaemonSetStatus,
} from '@atoll/api';
import { asLabelValue, pods, type Pod, type Stored, type StreamingClient } from '@atoll/kube';
import { expect } from 'vitest';
import { eventually } from '../set-up/standing.ts';

/** All limits lifted. */
export const unlimited: ExtendedDaemonSet['spec']['strategy'] = {
  reconcileFrequency: '100ms',
  rollingUpdate: {
    maxUnavailable: '100%',
    slowStartIntervalDuration: '1ms',
    slowStartAdditiveIncrease: 250,
  },
};

/** One ExtendedDaemonSet: what a person writes of it, and what becomes of it. */
export type ObservedObject = ReturnType<typeof observedObject>;

/** The ExtendedDaemonSet of this name; it need not be there yet. */
export function observedObject(client: StreamingClient, name: string, namespace = 'default') {
  const key = { namespace, name };
  const labelSelector = `${labels.name}=${asLabelValue(name)}`;

  /** `over`: fields of the pod; `more`: of the spec. */
  async function create(over: object = {}, strategy = unlimited, more: object = {}): Promise<void> {
    const containers = [{ name: 'agent', image: 'agent:1' }];
    await client.create(extendedDaemonSets, {
      metadata: key,
      spec: {
        strategy,
        template: { metadata: { labels: { app: asLabelValue(name) } }, spec: { containers, ...over } },
        ...more,
      },
    });
  }

  async function patch(body: object): Promise<void> {
    await client.patch(extendedDaemonSets, key, { type: 'merge', body });
  }

  async function setImage(image: string): Promise<void> {
    await patch({ spec: { template: { spec: { containers: [{ name: 'agent', image }] } } } });
  }

  async function get(): Promise<Stored<ExtendedDaemonSet>> {
    return client.get(extendedDaemonSets, key);
  }

  async function remove(): Promise<void> {
    await client.delete(extendedDaemonSets, key);
  }

  /** Those that are not being deleted. */
  async function podsOf(): Promise<readonly Stored<Pod>[]> {
    const { items } = await client.list(pods, { namespace, labelSelector });
    return items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  }

  async function replicaSets(): Promise<readonly Stored<ExtendedDaemonSetReplicaSet>[]> {
    return (await client.list(extendedDaemonSetReplicaSets, { namespace, labelSelector })).items;
  }

  /** How many pods run each image. */
  async function images(): Promise<Readonly<Record<string, number>>> {
    const counts: Record<string, number> = {};
    for (const { spec } of await podsOf()) {
      const image = spec?.containers[0]?.image ?? '';
      counts[image] = (counts[image] ?? 0) + 1;
    }
    return counts;
  }

  /** Of the spec as it is now: a condition, as people read it. */
  async function condition(type: string): Promise<object | undefined> {
    const { metadata, status } = await get();
    if (status?.observedGeneration !== metadata.generation) return undefined;
    return status?.conditions?.find((each) => each.type === type);
  }

  async function untilState(state: string, more: object = {}): Promise<ExtendedDaemonSetStatus> {
    return eventually(async () => {
      const { status } = await get();
      expect(status).toMatchObject({ state, ...more });
      return status as ExtendedDaemonSetStatus;
    });
  }

  async function untilCondition(type: string, wanted: object): Promise<void> {
    await eventually(async () => expect(await condition(type)).toMatchObject(wanted));
  }

  /** `patience`: where it is to wait for more than pods. */
  async function untilAll(image: string, count: number, patience?: number): Promise<void> {
    await eventually(async () => {
      const { status } = await get();
      expect(status).toMatchObject({ state: 'Running', ready: count, upToDate: count, desired: count });
      expect(status?.canary).toBeUndefined();
      expect(await images()).toEqual(count === 0 ? {} : { [image]: count });
    }, patience);
  }

  return {
    create,
    patch,
    setImage,
    get,
    remove,
    pods: podsOf,
    replicaSets,
    images,
    condition,
    untilState,
    untilCondition,
    untilAll,
  };
}
