import { extendedDaemonSetLabels, type ExtendedDaemonsetSetting } from '@atoll/api';
import {
  asLabelValue,
  formatKey,
  type CacheEvent,
  type KubeObject,
  type Pod,
  type Reader,
  type Resource,
  type Stored,
} from '@atoll/kube';
import { describe, expect, it } from 'vitest';
import { caches } from '../caches.ts';
import { agent, podOn, podTemplateOf, replicaSet } from './extended-daemon-set.fixture.ts';
import { keysForPod, urgencyOfPod } from './keys-for-event.ts';
import { observe, type ExtendedDaemonSetReaders } from './observe.ts';

type Index = Readonly<Record<string, (object: never) => readonly string[]>>;

function reader<T extends KubeObject>(
  { resource, indexers }: { readonly resource: Resource<T>; readonly indexers: unknown },
  objects: readonly Stored<T>[],
): Reader<T> {
  return {
    resource,
    synced: true,
    get: (key) => objects.find(({ metadata }) => formatKey(metadata) === formatKey(key)),
    list: () => objects,
    by: (index, value) =>
      objects.filter((object) => (indexers as Index)[index]?.(object as never).includes(value)),
  };
}

/** The same in another namespace, under uids of its own. */
function elsewhere<T extends KubeObject>(object: Stored<T>): Stored<T> {
  const { metadata } = object;
  const ownerReferences = (metadata.ownerReferences ?? []).map((owner) => ({
    ...owner,
    uid: `other-${owner.uid}`,
  }));
  return {
    ...object,
    metadata: { ...metadata, namespace: 'other', uid: `other-${metadata.uid}`, ownerReferences },
  };
}

function labelled(pod: Stored<Pod>): Stored<Pod> {
  return { ...pod, metadata: { ...pod.metadata, labels: { [extendedDaemonSetLabels.name]: 'agent' } } };
}

function settingOf(name: string): Stored<ExtendedDaemonsetSetting> {
  const { metadata } = agent('agent:1');
  return {
    metadata: { ...metadata, name: `for-${name}`, uid: `uid-for-${name}` },
    spec: { reference: { kind: 'ExtendedDaemonset', name }, nodeSelector: {}, containers: [] },
  };
}

const [object, active] = [agent('agent:1'), replicaSet(1)];
const pod = labelled(podOn('a', active));
const { ownerReferences: _, ...unowned } = labelled(podOn('b', active)).metadata;
const orphan = { ...podOn('b', active), metadata: unowned };
const stranger = labelled(podOn('c', replicaSet(9)));

const readers: ExtendedDaemonSetReaders = {
  extendedDaemonSets: reader(caches.extendedDaemonSets, [object, elsewhere(object)]),
  extendedDaemonSetReplicaSets: reader(caches.extendedDaemonSetReplicaSets, [active, elsewhere(active)]),
  extendedDaemonsetSettings: reader(caches.extendedDaemonsetSettings, []),
  definitionOfExtendedDaemonsetSettings: reader(caches.definitionOfExtendedDaemonsetSettings, []),
  extendedDaemonSetPods: reader(caches.extendedDaemonSetPods, [
    pod,
    elsewhere(pod),
    orphan,
    elsewhere(orphan),
    stranger,
  ]),
  extendedDaemonSetPodTemplates: reader(caches.extendedDaemonSetPodTemplates, []),
  daemonSets: reader(caches.daemonSets, []),
  replacedDaemonSetPods: { ...reader(caches.replacedDaemonSetPods, []), served: false },
  nodes: reader(caches.nodes, []),
};

describe('an object', () => {
  it('that is gone leaves nothing to do, also while its PodTemplate waits to be collected (BUG-23)', () => {
    const extendedDaemonSets = reader(caches.extendedDaemonSets, []);
    const extendedDaemonSetPodTemplates = reader(
      caches.extendedDaemonSetPodTemplates,
      [podTemplateOf(object) ?? []].flat(),
    );
    const gone = { ...readers, extendedDaemonSets, extendedDaemonSetPodTemplates };
    expect(observe(gone, { namespace: 'edge', name: 'agent' }, 'auto')).toBeUndefined();
  });

  const needed = Object.keys(readers).filter((name) => name !== 'replacedDaemonSetPods');
  it.each(needed)('is not certain before the cache of %s is filled', (name) => {
    const found = (synced: boolean) => {
      const one = { ...readers[name as keyof ExtendedDaemonSetReaders], synced };
      return observe({ ...readers, [name]: one }, { namespace: 'edge', name: 'agent' }, 'auto')?.certain;
    };
    expect([found(false), found(true)]).toEqual([false, true]);
  });

  it('has the replica sets and pods that it owns by uid, and the pods of its namespace that nobody owns or whose replica set is gone (BUG-1)', () => {
    const found = observe(readers, { namespace: 'edge', name: 'agent' }, 'auto');
    expect(found?.replicaSets).toEqual([active]);
    expect(found?.pods).toEqual([pod, orphan, stranger]);
    const other = observe(readers, { namespace: 'other', name: 'agent' }, 'auto');
    expect(other?.pods.map(({ metadata }) => metadata.namespace)).toEqual(['other', 'other']);
  });

  it('has the settings that name it, and none of another object or namespace (BUG-12)', () => {
    const own = settingOf('agent');
    const extendedDaemonsetSettings = reader(caches.extendedDaemonsetSettings, [
      own,
      settingOf('other'),
      elsewhere(own),
    ]);
    const found = observe(
      { ...readers, extendedDaemonsetSettings },
      { namespace: 'edge', name: 'agent' },
      'auto',
    );
    expect(found?.settings).toEqual([own]);
  });

  it('sees what another controller writes of its replica sets, and without any that one is at work elsewhere', () => {
    const time = '2026-01-01T01:00:00Z';
    const writtenBy = (set: typeof active) => ({
      ...set,
      metadata: {
        ...set.metadata,
        managedFields: [{ manager: 'eds-controller', operation: 'Update', time } as const],
      },
    });
    const seen = (...sets: readonly (typeof active)[]) => {
      const extendedDaemonSetReplicaSets = reader(caches.extendedDaemonSetReplicaSets, sets);
      const key = { namespace: 'edge', name: 'agent' };
      const writes = observe({ ...readers, extendedDaemonSetReplicaSets }, key, 'auto')?.foreignWrites;
      return [writes?.own[0]?.by, writes?.elsewhere[0]?.by];
    };
    const other = writtenBy(elsewhere(active));
    expect([seen(active, other), seen(writtenBy(active), other), seen(other), seen()]).toEqual([
      [undefined, undefined],
      ['eds-controller', undefined],
      [undefined, 'eds-controller'],
      [undefined, undefined],
    ]);
  });

  it('is enqueued by its pods, and by those that are to be taken over or whose replica set is gone', () => {
    const keys = (each: Stored<Pod>) =>
      keysForPod(readers.extendedDaemonSets, readers.extendedDaemonSetReplicaSets, {
        type: 'added',
        object: each,
      });
    expect([pod, orphan, stranger, elsewhere(pod)].map(keys)).toEqual([
      ['edge/agent'],
      ['edge/agent'],
      ['edge/agent'],
      ['other/agent'],
    ]);
  });

  it('whose name is longer than a label may be has the pods with its shortened name, and is enqueued by them', () => {
    const name = 'x'.repeat(253);
    const long = { ...object, metadata: { ...object.metadata, name } };
    const label = { [extendedDaemonSetLabels.name]: asLabelValue(name) };
    const own = { ...orphan, metadata: { ...orphan.metadata, labels: label } };
    const given = {
      ...readers,
      extendedDaemonSets: reader(caches.extendedDaemonSets, [long, object]),
      extendedDaemonSetPods: reader(caches.extendedDaemonSetPods, [own, orphan]),
    };
    expect(observe(given, { namespace: 'edge', name }, 'auto')?.pods).toContain(own);
    expect(observe(given, { namespace: 'edge', name }, 'auto')?.pods).not.toContain(orphan);
    const { extendedDaemonSets: owners, extendedDaemonSetReplicaSets: replicaSets } = given;
    expect(keysForPod(owners, replicaSets, { type: 'added', object: own })).toEqual([`edge/${name}`]);
  });

  it('is reconciled at once when a pod is gone from a node of its canary, and later for all else that happens to pods', () => {
    const trying = (...nodes: readonly string[]) =>
      reader(caches.extendedDaemonSets, [
        agent('agent:2', { status: { canary: { replicaSet: 'agent-2', nodes } } }),
      ]);
    const urgency = (owners: typeof readers.extendedDaemonSets, event: CacheEvent<Pod>) =>
      urgencyOfPod(owners, readers.extendedDaemonSetReplicaSets, event);
    const gone = { type: 'deleted', object: pod } as const;
    const many = Array.from({ length: 100 }, (_, index) => `node-${index}`);
    expect([
      urgency(trying('a'), gone),
      urgency(trying('b'), gone),
      urgency(readers.extendedDaemonSets, gone),
      urgency(trying('a'), { type: 'added', object: pod }),
      urgency(trying('a', ...many), gone),
    ]).toEqual(['immediate', 'deferred', 'deferred', 'deferred', 'deferred']);
  });
});
