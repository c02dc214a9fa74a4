// The operator is killed (SIGKILL) and started again in the middle of canaries and rollouts: at every moment no node has two pods, and no more
// nodes are without an available one than maxUnavailable and the canary allow.
import { setTimeout as delay } from 'node:timers/promises';
import { extendedDaemonSets } from '@atoll/api';
import { createInformer, pods, type Pod, type Stored, type StreamingClient } from '@atoll/kube';
import { AuditLog, type RunningOperator } from '@atoll/testbed';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  operatorUser,
  startOperatorControlPlane,
  withoutElection,
  type OperatorControlPlane,
} from '../operator-control-plane.ts';
import { seeded, seedOf } from '../random.ts';
import { eventually } from '../standing.ts';

const namespace = 'default';
const name = 'agent';
const nodeCount = 10;
const maxUnavailable = 2;
const canaryNodes = 1;

let world: OperatorControlPlane;
let client: StreamingClient;
let log: AuditLog;
let operator: RunningOperator;

const stop = new AbortController();
const seen = new Map<string, Stored<Pod>>();
const worst = { without: 0, twice: 0 };
let isWatching = false;

function isLive({ metadata, status }: Stored<Pod>): boolean {
  return (
    metadata.deletionTimestamp === undefined && status?.phase !== 'Failed' && status?.phase !== 'Succeeded'
  );
}

function isReady({ status }: Pod): boolean {
  return (status?.conditions ?? []).some(({ type, status: is }) => type === 'Ready' && is === 'True');
}

function look(): void {
  if (!isWatching) return;
  const live = [...seen.values()].filter(isLive);
  const nodes = live.flatMap(({ spec }) => spec?.nodeName ?? []);
  worst.twice = Math.max(worst.twice, nodes.length - new Set(nodes).size, live.length - nodeCount);
  worst.without = Math.max(worst.without, nodeCount - live.filter(isReady).length);
}

async function setImage(image: string): Promise<void> {
  const body = { spec: { template: { spec: { containers: [{ name: 'agent', image }] } } } };
  await client.patch(extendedDaemonSets, { namespace, name }, { type: 'merge', body });
}

async function untilAll(image: string): Promise<void> {
  await eventually(async () => {
    const { items } = await client.list(pods, { namespace });
    const ready = items.filter((pod) => isLive(pod) && isReady(pod));
    expect(ready.map(({ spec }) => spec?.containers[0]?.image)).toEqual(Array<string>(nodeCount).fill(image));
    const { status } = await client.get(extendedDaemonSets, { namespace, name });
    expect(status).toMatchObject({ state: 'Running', upToDate: nodeCount, ready: nodeCount });
  }, 60_000);
}

beforeAll(async () => {
  world = await startOperatorControlPlane({ fleet: { pools: ['a', 'b'], nodesPerPool: nodeCount / 2 } });
  ({ client } = world);
  await world.controlPlane.nodesReady();
  log = new AuditLog(world.controlPlane.auditLog ?? '');
  const informer = createInformer({ client, resource: pods, indexers: {} });
  informer.subscribe((events) => {
    for (const event of events) {
      if (event.type === 'deleted') seen.delete(event.object.metadata.uid);
      else seen.set(event.object.metadata.uid, event.object);
      look();
    }
  });
  void informer.start(stop.signal);
  operator = await world.start({ args: [...withoutElection, '--controllers=extended-daemon-set'] });
}, 120_000);

afterAll(async () => {
  stop.abort();
  await log?.close();
  await world?.[Symbol.asyncDispose]();
});

describe('an operator that is killed again and again', () => {
  it('neither doubles a pod nor breaks the budget, and makes each pod once', async () => {
    const seed = seedOf(process.env['ATOLL_SEED']);
    const random = seeded(seed);
    await client.create(extendedDaemonSets, {
      metadata: { namespace, name },
      spec: {
        strategy: {
          reconcileFrequency: '100ms',
          rollingUpdate: { maxUnavailable, slowStartIntervalDuration: '1ms', slowStartAdditiveIncrease: 250 },
          canary: { replicas: canaryNodes, duration: '1s', noRestartsDuration: '0s' },
        },
        template: {
          metadata: { labels: { app: name } },
          spec: { containers: [{ name: 'agent', image: 'agent:0' }] },
        },
      },
    });
    await untilAll('agent:0');
    isWatching = true;
    for (const round of [1, 2, 3]) {
      await setImage(`agent:${round}`);
      for (let kill = 0; kill < 3; kill += 1) {
        await delay(random() * 900);
        await operator.restart();
      }
      await untilAll(`agent:${round}`);
    }
    expect(worst.twice, `seed ${seed}`).toBe(0);
    expect(worst.without, `seed ${seed}`).toBeLessThanOrEqual(maxUnavailable + canaryNodes);
    await log.readOn();
    const writes = log.entries.filter(
      ({ user, resource, code }) => user === operatorUser && resource === 'pods' && code < 300,
    );
    expect(writes.filter(({ verb }) => verb === 'create').length, `seed ${seed}`).toBe(4 * nodeCount);
    expect(writes.filter(({ verb }) => verb === 'delete').length, `seed ${seed}`).toBe(3 * nodeCount);
  });
});
