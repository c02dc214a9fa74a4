// An ExtendedDaemonSet that is deleted and made again, on a real control plane: no node has two pods, and what is kept does not restart.
import { extendedDaemonSetReplicaSets, extendedDaemonSets } from '@atoll/api';
import { pods, podTemplates, type StreamingClient } from '@atoll/kube';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  startOperatorControlPlane,
  withoutElection,
  type OperatorControlPlane,
} from '../set-up/operator-control-plane.ts';
import { eventually } from '../set-up/standing.ts';
import { observedObject, type ObservedObject } from './observed-object.ts';
import { watchPods, type PodsSeen } from './pods-seen.ts';

const namespace = 'default';
const name = 'agent';
const nodeCount = 4;

let world: OperatorControlPlane;
let client: StreamingClient;
let seen: PodsSeen;
let object: ObservedObject;
const stop = new AbortController();

beforeAll(async () => {
  world = await startOperatorControlPlane({
    fleet: { pools: ['a', 'b'], nodesPerPool: nodeCount / 2 },
    // As on OpenShift: an operator without the rights for the owners that it writes is refused.
    apiServerFlags: { 'enable-admission-plugins': 'OwnerReferencesPermissionEnforcement' },
  });
  ({ client } = world);
  await world.controlPlane.nodesReady();
  await world.start({ args: [...withoutElection, '--controllers=extended-daemon-set'] });
  seen = await watchPods(client, nodeCount, stop.signal);
  object = observedObject(client, name);
  await object.create();
  await object.untilAll('agent:1', nodeCount);
}, 120_000);

afterAll(async () => {
  stop.abort();
  await world?.[Symbol.asyncDispose]();
});

async function uids(): Promise<ReadonlySet<string>> {
  const { items } = await client.list(pods, { namespace });
  return new Set(items.map(({ metadata }) => metadata.uid));
}

async function untilGone(): Promise<void> {
  await eventually(async () => {
    const { items } = await client.list(extendedDaemonSets, { namespace });
    expect(items).toEqual([]);
  });
}

describe('an object that is made again', () => {
  it('after --cascade=orphan has its replica sets and its PodTemplate back, and no pod restarts', async () => {
    const before = await uids();
    const { items: sets } = await client.list(extendedDaemonSetReplicaSets, { namespace });
    await client.delete(extendedDaemonSets, { namespace, name }, { propagationPolicy: 'Orphan' });
    await untilGone();
    await object.create();
    await object.untilAll('agent:1', nodeCount);
    const { metadata, status } = await client.get(extendedDaemonSets, { namespace, name });
    await eventually(async () => {
      const { items: now } = await client.list(extendedDaemonSetReplicaSets, { namespace });
      expect(now.map((each) => [each.metadata.uid, each.metadata.ownerReferences?.[0]?.uid])).toEqual(
        sets.map((each) => [each.metadata.uid, metadata.uid]),
      );
      const podTemplate = await client.get(podTemplates, { namespace, name });
      expect(podTemplate.metadata.ownerReferences?.[0]?.uid).toBe(metadata.uid);
    });
    expect(status?.activeReplicaSet).toBe(sets[0]?.metadata.name);
    expect(await uids()).toEqual(before);
    expect(seen.doubles).toEqual([]);
  });

  it('rolls out what comes after that', async () => {
    await object.setImage('agent:2');
    await object.untilAll('agent:2', nodeCount);
    expect(seen.doubles).toEqual([]);
  });

  it('after a plain deletion gets new pods when the garbage collector has ended the old ones', async () => {
    const before = await uids();
    await client.delete(extendedDaemonSets, { namespace, name });
    await untilGone();
    await object.create();
    await object.untilAll('agent:1', nodeCount);
    expect([...(await uids())].filter((uid) => before.has(uid))).toEqual([]);
    expect(seen.doubles).toEqual([]);
  });
});

describe('an object whose replica set somebody deletes', () => {
  it('gets another one, and no second pod on a node', async () => {
    const [found] = (await client.list(extendedDaemonSetReplicaSets, { namespace })).items;
    await client.delete(extendedDaemonSetReplicaSets, { namespace, name: found?.metadata.name ?? '' });
    await eventually(async () => {
      const { items } = await client.list(extendedDaemonSetReplicaSets, { namespace });
      expect(items.map(({ metadata }) => metadata.uid)).not.toContain(found?.metadata.uid);
      expect(items).toHaveLength(1);
    });
    await object.untilAll('agent:1', nodeCount);
    expect(seen.doubles).toEqual([]);
  });
});
