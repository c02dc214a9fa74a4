import { conditionTypes, daemonSetUpdate, yurtManagers } from '@atoll/api';
import type { CacheEvent, DaemonSet, Deployment, Node, Pod, Reader, Stored } from '@atoll/kube';
import { daemonSets } from '@atoll/kube';
import { describe, expect, it } from 'vitest';
import { agent, node, podOn, recorded } from './daemon-set.fixture.ts';
import { keysForDaemonPod, keysForManager, keysForNode, urgencyOfStatus } from './keys-for-event.ts';

const key = 'edge/agent';

function ownersWith(...all: readonly Stored<DaemonSet>[]): Reader<DaemonSet> {
  return {
    resource: daemonSets,
    synced: true,
    get: ({ name }) => all.find(({ metadata }) => metadata.name === name),
    list: () => all,
    by: () => [],
  };
}

function withoutStrategy(conditions: NonNullable<DaemonSet['status']>['conditions'] = []): Stored<DaemonSet> {
  const found = agent();
  const status = { ...found.status, conditions } as NonNullable<typeof found.status>;
  return { ...found, metadata: { ...found.metadata, annotations: {} }, status };
}

function owned(pod: Stored<Pod>): Stored<Pod> {
  const owner = {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    name: 'agent',
    uid: 'uid-agent',
    controller: true,
  };
  return { ...pod, metadata: { ...pod.metadata, ownerReferences: [owner] } };
}

function changed<T extends Pod | Node>(old: Stored<T>, object: Stored<T>): CacheEvent<T> {
  return { type: 'updated', old, object } as CacheEvent<T>;
}

const owners = ownersWith(agent());
const pod = owned(podOn('a'));

describe('a pod enqueues its DaemonSet', () => {
  it.each<[string, CacheEvent<Pod>]>([
    ['when it comes', { type: 'added', object: pod }],
    ['when it is gone', { type: 'deleted', object: pod }],
    ['when it becomes ready', changed(owned(podOn('a', { ready: false })), pod)],
    ['when it ceases to be ready', changed(pod, owned(podOn('a', { ready: false })))],
    ['when it begins to end', changed(pod, owned(podOn('a', { ending: true })))],
  ])('%s', (_, event) => {
    expect(keysForDaemonPod(owners, event)).toEqual([key]);
  });

  it('when somebody else changes what is offered to the owner of its node, and not when we did', () => {
    const offer = (status: string, message: string): Stored<Pod> => {
      const condition = { type: daemonSetUpdate.podConditions.needUpgrade, status, message };
      return { ...pod, status: { ...pod.status, conditions: [condition] } };
    };
    const [old, other] = [offer('False', 'controllerrevision: a'), offer('True', 'controllerrevision: a')];
    expect(keysForDaemonPod(owners, changed(old, other))).toEqual([key]);
    expect(keysForDaemonPod(owners, changed(old, offer('False', 'controllerrevision: b')))).toEqual([key]);
    const echo = { type: 'updated', old, object: other, echo: true } as const;
    expect(keysForDaemonPod(owners, echo as CacheEvent<Pod>)).toEqual([]);
  });

  it('when it gets another owner, as one that an earlier DaemonSet left behind', () => {
    expect(keysForDaemonPod(owners, changed(podOn('a'), pod))).toEqual([key]);
  });

  it('where the DaemonSet asks for nothing, only while its pod has conditions for the owner of its node', () => {
    const asksNothing = ownersWith(withoutStrategy());
    const { needUpgrade, imageReady } = daemonSetUpdate.podConditions;
    for (const condition of [
      { type: needUpgrade, status: 'True' },
      { type: imageReady, status: 'True', message: 'controllerrevision: a' },
      { type: imageReady, status: 'False', reason: 'PullImageFail', message: 'Job edge/x could not' },
    ]) {
      const left = { ...pod, status: { ...pod.status, conditions: [condition] } };
      expect(keysForDaemonPod(asksNothing, { type: 'added', object: left })).toEqual([key]);
      expect(keysForDaemonPod(asksNothing, changed(podOn('a'), left))).toEqual([key]);
    }
    expect(keysForDaemonPod(asksNothing, changed(podOn('a'), pod))).toEqual([]);
    const ofOthers = {
      ...pod,
      status: { ...pod.status, conditions: [{ type: imageReady, status: 'True' }] },
    };
    expect(keysForDaemonPod(asksNothing, changed(podOn('a'), ofOthers))).toEqual([]);
  });

  it('not when nothing changes that is counted, and not where the DaemonSet asks for nothing', () => {
    const later = { ...pod, metadata: { ...pod.metadata, resourceVersion: '2' } };
    expect(keysForDaemonPod(owners, changed(pod, later))).toEqual([]);
    expect(keysForDaemonPod(ownersWith(withoutStrategy()), { type: 'added', object: pod })).toEqual([]);
    expect(keysForDaemonPod(ownersWith(), { type: 'added', object: pod })).toEqual([]);
  });
});

describe('a node enqueues every DaemonSet that is managed', () => {
  const [ready, away] = [node('a'), node('a', { awaySince: '2026-01-01T00:30:00Z' })];
  it.each<[string, CacheEvent<Node>]>([
    ['when it comes', { type: 'added', object: ready }],
    ['when it goes', { type: 'deleted', object: ready }],
    ['when it turns ready', changed(away, ready)],
    ['when it is relabelled', changed(ready, node('a', { labels: { edge: 'yes' } }))],
  ])('%s', (_, event) => {
    expect(keysForNode(ownersWith(agent(), withoutStrategy()), event)).toEqual([key]);
  });

  it('not by a heartbeat', () => {
    expect(keysForNode(owners, changed(ready, { ...ready }))).toEqual([]);
  });

  it('also one that is to be cleaned up', () => {
    const condition = { type: daemonSetUpdate.daemonSetConditions.upToDate, status: 'True' };
    const others = { type: conditionTypes.ready, status: 'True' };
    const event = { type: 'added', object: ready } as const;
    expect(keysForNode(ownersWith(withoutStrategy([condition])), event)).toEqual([key]);
    expect(keysForNode(ownersWith(withoutStrategy([others])), event)).toEqual([]);
  });
});

it('a status is looked at immediately when the DaemonSet controller has seen another generation, or it is recorded', () => {
  const [old, counted] = [agent(), agent()];
  const seen = { ...old, status: { ...old.status, observedGeneration: 3 } } as typeof old;
  expect(urgencyOfStatus({ type: 'updated', old, object: seen })).toBe('immediate');
  expect(urgencyOfStatus({ type: 'updated', old, object: recorded(old) })).toBe('immediate');
  expect(urgencyOfStatus({ type: 'updated', old, object: counted })).toBe('deferred');
});

it.each([
  [yurtManagers.manager, [key]],
  [yurtManagers.controllerManager, [key]],
  [yurtManagers.appManager, []],
  ['web', []],
])('a Deployment %s enqueues %j', (name, keys) => {
  const { metadata } = agent();
  const object = { metadata: { ...metadata, name } } as Stored<Deployment>;
  expect(keysForManager(owners, { type: 'added', object })).toEqual(keys);
});
