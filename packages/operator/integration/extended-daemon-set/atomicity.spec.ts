// What clients of the old operator rely on: roles, state and conditions are right in the write that first shows them, and objects are
// not written without need (`reference/extendeddaemonset.md` 6).
import { setTimeout as delay } from 'node:timers/promises';
import {
  extendedDaemonSetAnnotations as annotations,
  extendedDaemonSetLabels as labels,
  extendedDaemonSetReplicaSets,
  extendedDaemonSets,
  type ExtendedDaemonSet,
  type ExtendedDaemonSetReplicaSet,
} from '@atoll/api';
import { createInformer, nodes, pods, type Stored, type StreamingClient } from '@atoll/kube';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { withoutElection, type OperatorControlPlane } from '../set-up/operator-control-plane.ts';
import { sharedOperatorControlPlane } from '../set-up/shared-operator-control-plane.ts';
import { eventually } from '../set-up/standing.ts';

const namespace = 'default';
const nodeCount = 4;

let world: OperatorControlPlane;
let client: StreamingClient;
let round = 0;
let name: string;

const stop = new AbortController();
/** Every version that the API server had, in order. */
const seen: Stored<ExtendedDaemonSet>[] = [];
const seenReplicaSets: Stored<ExtendedDaemonSetReplicaSet>[] = [];

function versions(): readonly Stored<ExtendedDaemonSet>[] {
  return seen.filter(({ metadata }) => metadata.name === name);
}

/** The first version that is so: a watch shows it, and may be later than a read that shows it too. */
async function firstVersion(
  isIt: (version: Stored<ExtendedDaemonSet>) => boolean,
): Promise<Stored<ExtendedDaemonSet>> {
  return eventually(async () => {
    const found = versions().find(isIt);
    if (found === undefined) throw new Error('no version is so yet');
    return found;
  });
}

function replicaSetVersions(replicaSet: string): readonly Stored<ExtendedDaemonSetReplicaSet>[] {
  return seenReplicaSets.filter(({ metadata }) => metadata.name === replicaSet);
}

async function current(): Promise<Stored<ExtendedDaemonSet>> {
  return client.get(extendedDaemonSets, { namespace, name });
}

async function patch(body: object): Promise<void> {
  await client.patch(extendedDaemonSets, { namespace, name }, { type: 'merge', body });
}

function template(image: string) {
  return { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'agent', image }] } };
}

/** With the frequency and the interval that the old operator's own tests use. */
async function begin(strategy: object = {}, found: Readonly<Record<string, string>> = {}): Promise<void> {
  const rollingUpdate = { slowStartIntervalDuration: '1ms', slowStartAdditiveIncrease: 250 };
  await client.create(extendedDaemonSets, {
    metadata: { namespace, name, annotations: found },
    spec: {
      strategy: { reconcileFrequency: '100ms', rollingUpdate, ...strategy },
      template: template('agent:1'),
    },
  });
}

async function untilReady(count = nodeCount): Promise<void> {
  await eventually(async () => {
    expect((await current()).status).toMatchObject({
      state: 'Running',
      desired: count,
      ready: count,
      upToDate: count,
    });
  });
}

function conditionOf(replicaSet: Stored<ExtendedDaemonSetReplicaSet> | undefined, wanted: string) {
  return replicaSet?.status?.conditions?.find(({ type }) => type === wanted)?.status;
}

beforeAll(async () => {
  world = await sharedOperatorControlPlane({ fleet: { pools: ['a'], nodesPerPool: nodeCount } });
  ({ client } = world);
  await world.controlPlane.nodesReady();
  const objects = createInformer({ client, resource: extendedDaemonSets, indexers: {} });
  objects.subscribe((events) => seen.push(...events.map(({ object }) => object)));
  const replicaSets = createInformer({ client, resource: extendedDaemonSetReplicaSets, indexers: {} });
  replicaSets.subscribe((events) => seenReplicaSets.push(...events.map(({ object }) => object)));
  for (const informer of [objects, replicaSets]) {
    void informer.start(stop.signal);
    await informer.synced;
  }
  await world.start({ args: [...withoutElection, '--controllers=extended-daemon-set'] });
});

afterAll(async () => {
  stop.abort();
  await world?.[Symbol.asyncDispose]();
});

beforeEach(() => {
  round += 1;
  name = `atomic-${round}`;
});

afterEach(async () => {
  await client.delete(extendedDaemonSets, { namespace, name });
  await eventually(async () => {
    const { items } = await client.list(pods, { namespace, labelSelector: `${labels.name}=${name}` });
    if (items.length > 0) throw new Error('pods of the test before are still there');
  });
});

describe('the write that first names a new active replica set', () => {
  it.each([
    ['rolling-update-paused', 'RollingUpdate Paused', 'RollingUpdatePaused'],
    ['rollout-frozen', 'Rollout frozen', 'RolloutFrozen'],
  ])(
    'has the state of %s already, and that replica set its condition',
    async (annotation, state, condition) => {
      await begin();
      await untilReady();
      const before = (await current()).status?.activeReplicaSet ?? '';
      await patch({
        metadata: { annotations: { [`extendeddaemonset.datadoghq.com/${annotation}`]: 'true' } },
        spec: { template: template('agent:2') },
      });
      const active = await eventually(async () => {
        const now = (await current()).status?.activeReplicaSet ?? '';
        expect(['', before]).not.toContain(now);
        return now;
      });
      const first = await firstVersion(({ status }) => status?.activeReplicaSet === active);
      expect(first.status).toMatchObject({ state, upToDate: 0 });
      const differing = await eventually(async () => {
        const found = replicaSetVersions(active).find(({ status }) => status?.desired !== status?.current);
        expect(found).toBeDefined();
        return found;
      });
      expect(differing?.status?.status).toBe('active');
      expect(conditionOf(differing, condition)).toBe('True');
    },
  );

  it('after a canary has the state of the fleet already, and no canary any more', async () => {
    await begin({ canary: { replicas: 1, validationMode: 'manual' } });
    await untilReady();
    await patch({ spec: { template: template('agent:2') } });
    const tried = await eventually(async () => {
      const { status } = await current();
      expect(status?.state).toBe('Canary');
      return status?.canary?.replicaSet ?? '';
    });
    const first = await firstVersion(({ status }) => status?.canary?.replicaSet === tried);
    expect(first.status).toMatchObject({ state: 'Canary', canary: { nodes: [expect.any(String)] } });
    await patch({ metadata: { annotations: { [annotations.canaryValid]: tried } } });
    await untilReady();
    const promoted = await firstVersion(({ status }) => status?.activeReplicaSet === tried);
    expect(promoted.status?.state).toBe('Running');
    expect(promoted.status?.canary).toBeUndefined();
    expect(
      versions().filter(({ status }) => status?.activeReplicaSet === tried && status.state === 'Canary'),
    ).toEqual([]);
  });
});

describe('an object', () => {
  it('is not written while nothing changes, so that a client which reads and then writes meets no conflict', async () => {
    await begin();
    await untilReady();
    const found = await eventually(async () => {
      const one = await current();
      await delay(1_000);
      expect((await current()).metadata.resourceVersion).toBe(one.metadata.resourceVersion);
      return one;
    });
    const { strategy } = found.spec;
    for (const frequency of ['200ms', '300ms', '400ms']) {
      const one = await current();
      await client.update(extendedDaemonSets, {
        ...one,
        spec: { ...one.spec, strategy: { ...strategy, reconcileFrequency: frequency } },
      });
      await eventually(async () => {
        const { metadata, status } = await current();
        expect(status?.observedGeneration).toBe(metadata.generation);
      });
    }
  });

  it('serves a new node within 30 seconds', async () => {
    await begin();
    await untilReady();
    const [added = ''] = await world.controlPlane.addNodes({ pools: ['b'], nodesPerPool: 1 });
    await untilReady(nodeCount + 1);
    const { metadata } = await client.get(nodes, { name: added });
    const { items } = await client.list(pods, { namespace, labelSelector: `${labels.name}=${name}` });
    const ready = items
      .find(({ spec }) => spec?.nodeName === added)
      ?.status?.conditions?.find(({ type }) => type === 'Ready');
    const servedAt = Date.parse(ready?.lastTransitionTime ?? '');
    expect(servedAt - Date.parse(metadata.creationTimestamp)).toBeLessThan(30_000);
  });
});
