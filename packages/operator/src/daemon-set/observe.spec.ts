import { daemonSetUpdate, yurtManagers } from '@atoll/api';
import { daemonSets, deployments, pods } from '@atoll/kube';
import type { KubeObject, Resource } from '@atoll/kube';
import { describe, expect, it } from 'vitest';
import { FreshWorld } from '../../simulation/examples/fresh-world.ts';
import { createDaemonSetUpgradeController } from './controller.ts';
import { agent, podOn } from './daemon-set.fixture.ts';
import { keysToEnqueue } from '../engine/reconcile/keys-to-enqueue.ts';
import { noFindings } from '../causes/findings.ts';
import { observe } from './observe.ts';

const key = { namespace: 'edge', name: 'agent' };

function observed(change: {
  readonly replicas?: number;
  /** That are still there. */
  readonly left?: number;
  readonly args?: readonly string[];
  readonly name?: string;
}) {
  const { replicas = 1, left = 0, args = [], name = yurtManagers.manager } = change;
  const world = new FreshWorld();
  const { metadata, ...rest } = agent();
  world.put(daemonSets, { ...rest, metadata: { ...key, annotations: metadata.annotations ?? {} } });
  const template = { spec: { containers: [{ name: 'manager', image: 'm', args }] } };
  world.put(deployments, {
    metadata: { namespace: 'kube-system', name },
    spec: { replicas, selector: {}, template },
    status: { replicas: left },
  });
  return observe(world.readers, key, noFindings)?.yurtManagers.map(({ what }) => what);
}

describe("OpenYurt's manager is seen", () => {
  it.each([
    ['where it runs', {}, ['Deployment kube-system/yurt-manager']],
    ['not where it is scaled to zero', { replicas: 0 }, []],
    [
      'where it is scaled to zero and a pod is still there',
      { replicas: 0, left: 1 },
      ['Deployment kube-system/yurt-manager'],
    ],
    ['not where its controller is switched off', { args: ['--controllers=*,-daemonpodupdater'] }, []],
    ['nor by the longer name', { args: ['--controllers=*,-daemon-pod-updater-controller'] }, []],
    [
      'where another controller is switched off',
      { args: ['--controllers=*,-nodepool'] },
      ['Deployment kube-system/yurt-manager'],
    ],
    [
      'where only others are switched on',
      { args: ['--v=4', '--controllers=nodepool,yurtstaticset', '--metrics-addr=:1'] },
      [],
    ],
    ['and so by two arguments', { args: ['--controllers', 'nodepool'] }, []],
    [
      'where it is one of those that are switched on',
      { args: ['--controllers=nodepool,daemonpodupdater'] },
      ['Deployment kube-system/yurt-manager'],
    ],
    [
      'where it is not known what is switched on',
      { args: ['--controllers=$(CONTROLLERS)'] },
      ['Deployment kube-system/yurt-manager'],
    ],
    [
      'as OpenYurt 1.1 and 1.2 had it',
      { name: 'yurt-controller-manager' },
      ['Deployment kube-system/yurt-controller-manager'],
    ],
    ['not in another Deployment', { name: 'web' }, []],
  ])('%s', (_, change, expected) => {
    expect(observed(change)).toEqual(expected);
  });
});

describe('a DaemonSet that asks for nothing has pods of one before it, which had asked for OTA', () => {
  const { podConditions } = daemonSetUpdate;
  const withPod = (...types: readonly string[]) => {
    const world = new FreshWorld();
    const { metadata: _, ...rest } = agent();
    const { uid } = world.put(daemonSets, { ...rest, metadata: key }).metadata;
    const { metadata, spec, status } = podOn('a');
    const ownerReferences = [
      { apiVersion: 'apps/v1', kind: 'DaemonSet', name: key.name, uid, controller: true },
    ];
    const conditions = types.map((type) => ({ type, status: 'True', message: 'controllerrevision: old' }));
    world.put(pods, {
      metadata: { namespace: 'edge', name: 'agent-a', labels: metadata.labels ?? {}, ownerReferences },
      spec: spec ?? { containers: [] },
      status: { ...status, conditions: [...(status?.conditions ?? []), ...conditions] },
    });
    return world;
  };

  it.each([
    [[podConditions.needUpgrade]],
    [[podConditions.imageReady]],
    [[podConditions.needUpgrade, podConditions.imageReady]],
  ])('%j of them are taken off, and nothing else is done', (types) => {
    const world = withPod(...types);
    const controller = createDaemonSetUpgradeController(world.readers);
    const { outcome, statusWritten } = world.reconcile(controller, 'edge/agent');
    expect(outcome.results.map(({ did }) => did)).toEqual(['done']);
    expect(statusWritten).toBe(false);
    const [pod] = world.readers.daemonSetPods.list();
    expect(pod?.status?.conditions?.map(({ type }) => type)).toEqual(['Ready']);
    expect(observe(world.readers, key, noFindings)).toBeUndefined();
  });

  it('nothing is done about images that another controller finds ready, as for a readiness gate', () => {
    const world = withPod();
    const [pod] = world.readers.daemonSetPods.list();
    const other = {
      type: podConditions.imageReady,
      status: 'True',
      reason: 'Cached',
      message: 'on the node',
    };
    const conditions = [...(pod?.status?.conditions ?? []), other];
    if (pod !== undefined) world.put(pods, { ...pod, status: { ...pod.status, conditions } });
    expect(world.readers.daemonSetPods.list()[0]?.status?.conditions).toContainEqual(other);
    expect(observe(world.readers, key, noFindings)).toBeUndefined();
  });

  it('is nothing to observe where they have no such condition', () => {
    expect(observe(withPod().readers, key, noFindings)).toBeUndefined();
  });
});

it('what its controller has seen is looked at immediately, also where our conditions overtook its status', () => {
  const { readers } = new FreshWorld();
  const source = createDaemonSetUpgradeController(readers).sources.find(
    ({ reader }) => reader === (readers.daemonSets as object),
  );
  const old = agent();
  const conditions = [{ type: daemonSetUpdate.daemonSetConditions.held, status: 'True' }];
  const seen = (observedGeneration: number) =>
    ({ ...old, status: { ...old.status, observedGeneration, conditions } }) as typeof old;
  const echo = { type: 'updated', old: seen(1), object: seen(2), echo: true } as const;
  const resource = daemonSets as Resource<KubeObject>;
  expect(source && keysToEnqueue(resource, source, echo)).toMatchObject({
    keys: ['edge/agent'],
    urgency: 'immediate',
  });
});

it.each(['daemonSets', 'daemonSetPods', 'controllerRevisions', 'nodes', 'deployments'] as const)(
  'is certain of nothing before %s are known',
  (name) => {
    const world = new FreshWorld();
    const { metadata, ...rest } = agent();
    world.put(daemonSets, { ...rest, metadata: { ...key, annotations: metadata.annotations ?? {} } });
    expect(observe(world.readers, key, noFindings)?.certain).toBe(true);
    const unread = new Proxy(world.readers[name], {
      get: (reader, property) => (property === 'synced' ? false : Reflect.get(reader, property, reader)),
    });
    expect(observe({ ...world.readers, [name]: unread }, key, noFindings)?.certain).toBe(false);
  },
);

it('observes nothing of a DaemonSet that asks for nothing', () => {
  const world = new FreshWorld();
  const { metadata: _, ...rest } = agent();
  world.put(daemonSets, { ...rest, metadata: key });
  expect(observe(world.readers, key, noFindings)).toBeUndefined();
  expect(observe(world.readers, { ...key, name: 'other' }, noFindings)).toBeUndefined();
});
