import {
  extendedDaemonSetAnnotations as annotations,
  extendedDaemonSetLabels as labels,
  type ExtendedDaemonSet,
} from '@atoll/api';
import { daemonSets } from '@atoll/kube';
import type { CacheEvent, DaemonSet, KubeObject, Pod, Stored } from '@atoll/kube';
import { describe, expect, it } from 'vitest';
import { caches } from '../../caches.ts';
import { ownerReference } from '../../children/ownership/owner.ts';
import { decide } from '../decide.ts';
import {
  agent,
  ago,
  filledCache,
  node,
  nodesNamed,
  now,
  podOn,
  replicaSet,
  snapshotOf,
  template,
} from '../extended-daemon-set.fixture.ts';
import { keysForOldDaemonSet, keysForReplacedPod, keysForSameOldDaemonSet } from '../keys-for-event.ts';
import { observe, type ExtendedDaemonSetReaders } from '../observe.ts';
import { plan } from '../plan.ts';
import { isReplaced } from './old-daemon-set.ts';

const key = { namespace: 'edge', name: 'agent' };
const active = replicaSet(1);
const replacing = agent('agent:1', {
  annotations: { [annotations.oldDaemonSet]: 'legacy' },
  strategy: {
    reconcileFrequency: '0s',
    rollingUpdate: { slowStartIntervalDuration: '1ms', slowStartAdditiveIncrease: 250 },
  },
  status: { activeReplicaSet: active.metadata.name },
});
const legacy: Stored<DaemonSet> = {
  metadata: {
    name: 'legacy',
    namespace: 'edge',
    uid: 'uid-legacy',
    resourceVersion: '1',
    creationTimestamp: '2026-01-01T00:00:00Z',
    generation: 1,
  },
  spec: { selector: { matchLabels: { app: 'agent' } }, template: template('agent:0') },
};
const nodes = nodesNamed('a', 'b', 'c');
/** The DaemonSet makes no pod there any more, and what is there stays. */
const tainted = ['a', 'b', 'c'].map((name) =>
  node(name, { taints: [{ key: 'moved', effect: 'NoSchedule' }] }),
);
const tolerating = {
  ...template('agent:1'),
  spec: { ...template('agent:1').spec, tolerations: [{ key: 'moved', operator: 'Exists' }] },
} as typeof active.spec.template;

function podOfDaemonSet(on: string, { labelled = true, owned = true } = {}): Stored<Pod> {
  const pod = podOn(on, active, { name: `legacy-${on}` });
  const { ownerReferences: _, ...metadata } = pod.metadata;
  return {
    ...pod,
    metadata: {
      ...metadata,
      ...(labelled ? { labels: { [labels.name]: 'agent' } } : {}),
      ...(owned ? { ownerReferences: [ownerReference({ resource: daemonSets, object: legacy })] } : {}),
    },
  };
}

interface Cluster {
  readonly object?: Stored<ExtendedDaemonSet>;
  /** Objects beside it. */
  readonly others?: readonly Stored<ExtendedDaemonSet>[];
  readonly daemonSet?: Stored<DaemonSet>;
  readonly pods?: readonly Stored<Pod>[];
  readonly on?: typeof nodes;
  /** Whether the pods of the DaemonSet are followed, and their content has arrived. */
  readonly followed?: { readonly served: boolean; readonly synced: boolean };
}

function readersOf({ object = replacing, others = [], daemonSet, pods = [], on = nodes, followed }: Cluster) {
  const isLabelled = ({ metadata }: Stored<Pod>) => metadata.labels?.[labels.name] !== undefined;
  const set = replicaSetFor(object);
  return {
    extendedDaemonSets: filledCache(caches.extendedDaemonSets, [...others, object]),
    extendedDaemonSetReplicaSets: filledCache(caches.extendedDaemonSetReplicaSets, [set]),
    extendedDaemonsetSettings: filledCache(caches.extendedDaemonsetSettings, []),
    definitionOfExtendedDaemonsetSettings: filledCache(caches.definitionOfExtendedDaemonsetSettings, []),
    extendedDaemonSetPods: filledCache(caches.extendedDaemonSetPods, pods.filter(isLabelled)),
    extendedDaemonSetPodTemplates: filledCache(caches.extendedDaemonSetPodTemplates, []),
    daemonSets: filledCache(caches.daemonSets, daemonSet === undefined ? [] : [daemonSet]),
    replacedDaemonSetPods: {
      ...filledCache(caches.replacedDaemonSetPods, pods),
      ...(followed ?? { served: daemonSet !== undefined, synced: true }),
    },
    nodes: filledCache(caches.nodes, on),
  } satisfies ExtendedDaemonSetReaders;
}

function replicaSetFor({ spec }: Stored<ExtendedDaemonSet>): typeof active {
  return { ...active, spec: { ...active.spec, template: spec.template } };
}

function decided(cluster: Cluster) {
  const snapshot = observe(readersOf(cluster), key, 'auto');
  if (snapshot === undefined) throw new Error('nothing is observed');
  const decision = decide(snapshot, now);
  const stages = plan(snapshot, decision, now).stages;
  const steps = Object.fromEntries(
    stages
      .filter(({ name }) => name !== 'keep the pod template')
      .map(({ name, steps: each }) => [name, each.length]),
  );
  return { steps, holds: decision.holds };
}

describe('a migration from a DaemonSet', () => {
  const pods = ['a', 'b', 'c'].map((name) => podOfDaemonSet(name));

  it('labels its pods first, so that they are known when it is gone', () => {
    const unlabelled = [podOfDaemonSet('a'), podOfDaemonSet('b', { labelled: false })];
    const { steps, holds } = decided({ daemonSet: legacy, pods: unlabelled });
    expect(steps).toEqual({ 'label pods of the DaemonSet': 1 });
    expect(holds[0]).toMatchObject({ waitsFor: 'time' });
    expect(holds[0]?.problem).toBe(
      '1 pod of the DaemonSet legacy must be labelled extendeddaemonset.datadoghq.com/name=agent first. Do not delete it before',
    );
  });

  it('labels those too that have the label of another object, and none that is being deleted', () => {
    const [a, b] = [podOfDaemonSet('a'), podOfDaemonSet('b', { labelled: false })];
    const others = { ...a, metadata: { ...a.metadata, labels: { [labels.name]: 'other' } } };
    const ending = { ...b, metadata: { ...b.metadata, deletionTimestamp: '2026-01-01T01:00:00Z' } };
    const { steps } = decided({ daemonSet: legacy, pods: [others, ending] });
    expect(steps).toEqual({ 'label pods of the DaemonSet': 1 });
    expect(decided({ daemonSet: legacy, pods: [ending] }).steps).toEqual({});
  });

  it('counts no node that is being deleted among those where it makes pods', () => {
    const [first, ...more] = nodes.map((each) => ({
      ...each,
      metadata: { ...each.metadata, deletionTimestamp: '2026-01-01T01:00:00Z' },
    }));
    const reasons = decided({
      daemonSet: legacy,
      pods,
      on: [...more, ...(first === undefined ? [] : [first])],
    });
    expect(reasons.holds.map(({ reason }) => reason)).not.toContain('OldDaemonSetPresent');
    const { holds } = decided({ daemonSet: legacy, pods, on: [...more, node('a')] });
    expect(holds[0]?.problem).toContain('still makes pods, on 1 node. Delete it');
  });

  it('counts a node that is away, on which it makes a pod when that is back', () => {
    const object = { ...replacing, spec: { ...replacing.spec, template: tolerating } };
    const notReady = [{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule', timeAdded: ago(30) }];
    // The node is Ready again, and its taint goes in a moment.
    for (const on of [[node('a', { taints: notReady })], [node('a', { awaySince: ago(30) })]]) {
      const { steps, holds } = decided({ object, daemonSet: legacy, pods: pods.slice(0, 1), on });
      expect(steps).toEqual({});
      expect(holds[0]?.problem).toContain('still makes pods, on 1 node. Delete it');
    }
  });

  it('makes and deletes nothing while it makes pods, and reports what to do', () => {
    const { steps, holds } = decided({ daemonSet: legacy, pods: pods.slice(1) });
    expect(steps).toEqual({});
    expect(holds[0]).toMatchObject({ reason: 'OldDaemonSetPresent', waitsFor: 'person' });
    expect(holds[0]?.problem).toContain('still makes pods, on 3 nodes');
    expect(holds[0]?.problem).toContain('kubectl delete daemonset legacy -n edge --cascade=orphan');
  });

  it.each<[string, NonNullable<Cluster['followed']>]>([
    ['are not read yet', { served: false, synced: true }],
    ['have not arrived', { served: true, synced: false }],
  ])('does nothing while its pods %s', (_when, followed) => {
    const { steps, holds } = decided({ daemonSet: legacy, pods: [], on: tainted, followed });
    expect(steps).toEqual({});
    expect(holds[0]).toMatchObject({
      problem: 'the pods of the DaemonSet legacy are being read',
      waitsFor: 'time',
    });
  });

  it('replaces its pods within the budget when it makes none any more, as the old operator says', () => {
    const object = { ...replacing, spec: { ...replacing.spec, template: tolerating } };
    const { steps, holds } = decided({ object, daemonSet: legacy, pods, on: tainted });
    expect(steps).toEqual({ 'try pods': 1, 'delete outdated pods': 1 });
    expect(holds.map(({ reason }) => reason)).not.toContain('OldDaemonSetPresent');
  });

  it('waits while it is being deleted, in the foreground or with its pods', () => {
    const deletionTimestamp = '2026-01-01T01:00:00Z';
    const daemonSet = { ...legacy, metadata: { ...legacy.metadata, deletionTimestamp } };
    const { steps, holds } = decided({ daemonSet, pods });
    expect(steps).toEqual({});
    expect(holds[0]?.problem).toBe('the DaemonSet legacy is being deleted');
  });

  it.each([
    ['has let go of them', false],
    ['is gone, and the pods still name it', true],
  ])('replaces its pods within the budget when it %s, and doubles none', (_when, owned) => {
    const left = ['a', 'b', 'c'].map((name) => podOfDaemonSet(name, { owned }));
    expect(decided({ pods: left }).steps).toEqual({ 'try pods': 1, 'delete outdated pods': 1 });
  });

  it('leaves pods of a DaemonSet alone that it does not name, whatever their label', () => {
    const { steps } = decided({ object: agent('agent:1', { status: replacing.status ?? {} }), pods });
    expect(steps).not.toHaveProperty('delete outdated pods');
  });

  it.each([
    ['a ReplicaSet', { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'legacy' }, false],
    [
      'a DaemonSet of another group',
      { apiVersion: 'apps.kruise.io/v1alpha1', kind: 'DaemonSet', name: 'legacy' },
      false,
    ],
    ['another DaemonSet', { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'other' }, false],
    ['the DaemonSet', { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'legacy' }, true],
  ])('replaces pods of the DaemonSet that it names alone: %s', (_, owner, expected) => {
    const [pod] = pods;
    if (pod === undefined) throw new Error('there is no pod');
    const ownerReferences = [{ ...owner, uid: 'uid', controller: true }];
    expect(isReplaced({ ...pod, metadata: { ...pod.metadata, ownerReferences } }, replacing)).toBe(expected);
  });

  describe('that two objects name', () => {
    const second = (created: string, uid = 'uid-second', ending = false) => ({
      ...replacing,
      metadata: {
        ...replacing.metadata,
        name: 'second',
        uid,
        creationTimestamp: created,
        ...(ending ? { deletionTimestamp: '2026-01-01T01:00:00Z' } : {}),
      },
    });
    const { creationTimestamp: sameTime } = replacing.metadata;
    const unlabelled = ['a', 'b'].map((name) => podOfDaemonSet(name, { labelled: false }));
    const labels = (...others: readonly Stored<ExtendedDaemonSet>[]) =>
      decided({ others, daemonSet: legacy, pods: unlabelled });

    it.each([
      ['the older one', second('2026-01-01T00:00:01Z')],
      ['of two that are as old the one whose uid is first', second(sameTime, 'uid-zzz')],
      ['the one that is not being deleted', second('2025-12-31T00:00:00Z', 'uid-second', true)],
    ])('is replaced by %s', (_, other) => {
      const { steps, holds } = labels(other);
      expect(steps).toEqual({ 'label pods of the DaemonSet': 2 });
      expect(holds[0]?.problem).toContain('must be labelled');
    });

    it.each([
      ['an older one', second('2025-12-31T23:59:59Z')],
      ['one that is as old and whose uid is first', second(sameTime, 'uid-a')],
    ])('is left to %s, which is named', (_, other) => {
      const { steps, holds } = labels(other);
      expect(steps).toEqual({});
      expect(holds).toMatchObject([
        { reason: 'OldDaemonSetPresent', waitsFor: 'person' },
        { targets: ['a', 'b', 'c'] },
      ]);
      expect(holds[0]?.problem).toBe(
        'the ExtendedDaemonSet second names the DaemonSet legacy too and is older, so that one replaces its pods. ' +
          'Remove the annotation extendeddaemonset.datadoghq.com/old-daemonset from one of the two',
      );
      expect(holds[1]?.waitingUntil).toBe('no older ExtendedDaemonSet names that DaemonSet');
    });

    it('is not left to one that names another, nor to one of another namespace', () => {
      const older = second('2025-12-31T23:59:59Z');
      const named = { ...older.metadata, annotations: { [annotations.oldDaemonSet]: 'other' } };
      const elsewhere = { ...older.metadata, namespace: 'other' };
      for (const metadata of [named, elsewhere])
        expect(labels({ ...older, metadata }).steps).toEqual({ 'label pods of the DaemonSet': 2 });
    });

    it('enqueues both when one of them comes, goes, or names another', () => {
      const other = second(sameTime);
      const all = filledCache(caches.extendedDaemonSets, [replacing, other]);
      const renamed = { ...other, metadata: { ...other.metadata, annotations: {} } };
      const ending = second(sameTime, 'uid-second', true);
      const both = ['edge/agent', 'edge/second'];
      expect(keysForSameOldDaemonSet(all, { type: 'deleted', object: other })).toEqual(both);
      expect(keysForSameOldDaemonSet(all, { type: 'updated', old: other, object: renamed })).toEqual(both);
      expect(keysForSameOldDaemonSet(all, { type: 'updated', old: renamed, object: other })).toEqual(both);
      expect(keysForSameOldDaemonSet(all, { type: 'updated', old: other, object: ending })).toEqual(both);
      expect(keysForSameOldDaemonSet(all, { type: 'updated', old: other, object: { ...other } })).toEqual([]);
      expect(keysForSameOldDaemonSet(all, { type: 'added', object: renamed })).toEqual([]);
    });
  });

  it('lets no canary run beside it', () => {
    const recorded = { replicaSet: 'agent-2', nodes: ['a'] };
    const { metadata } = replacing;
    const object = {
      ...agent('agent:2', {
        strategy: { canary: { replicas: 1, validationMode: 'manual' } },
        status: { activeReplicaSet: active.metadata.name, canary: recorded },
      }),
      metadata,
    };
    const { fleet } = decide(
      snapshotOf({
        object,
        replicaSets: [active, replicaSet(2)],
        pods,
        nodes,
        oldDaemonSet: { object: legacy, podsKnown: true, unlabelled: [] },
      }),
      now,
    );
    expect([fleet?.canary?.deleted, fleet?.canary?.created]).toEqual([[], []]);
  });
});

describe('an object that replaces a DaemonSet', () => {
  const owners = filledCache(caches.extendedDaemonSets, [replacing, agent('agent:1')]);
  const event = <T extends KubeObject>(old: Stored<T>, object: Stored<T>): CacheEvent<T> => ({
    type: 'updated',
    old,
    object,
  });

  it('is enqueued when that comes, changes or is deleted, but not by its counts', () => {
    const changed = { ...legacy, metadata: { ...legacy.metadata, generation: 2 } };
    const deleted = {
      ...legacy,
      metadata: { ...legacy.metadata, deletionTimestamp: '2026-01-01T01:00:00Z' },
    };
    expect(keysForOldDaemonSet(owners, { type: 'added', object: legacy })).toEqual(['edge/agent']);
    expect(keysForOldDaemonSet(owners, event(legacy, changed))).toEqual(['edge/agent']);
    expect(keysForOldDaemonSet(owners, event(legacy, deleted))).toEqual(['edge/agent']);
    expect(keysForOldDaemonSet(owners, event(legacy, { ...legacy }))).toEqual([]);
    const elsewhere = { ...legacy, metadata: { ...legacy.metadata, namespace: 'other' } };
    expect(keysForOldDaemonSet(owners, { type: 'added', object: elsewhere })).toEqual([]);
  });

  it('is enqueued by a pod of that which comes, or whose labels change', () => {
    const [before, after] = [podOfDaemonSet('a', { labelled: false }), podOfDaemonSet('a')];
    expect(keysForReplacedPod(owners, { type: 'added', object: before })).toEqual(['edge/agent']);
    expect(keysForReplacedPod(owners, event(before, after))).toEqual(['edge/agent']);
    expect(keysForReplacedPod(owners, event(after, { ...after }))).toEqual([]);
    expect(keysForReplacedPod(owners, { type: 'added', object: podOn('a', active) })).toEqual([]);
  });

  it('asks for the pods of DaemonSets only while that is there', () => {
    const isAsked = (daemonSet?: Stored<DaemonSet>) =>
      caches.replacedDaemonSetPods.while.isAsked([
        owners,
        filledCache(caches.daemonSets, daemonSet === undefined ? [] : [daemonSet]),
      ] as never);
    expect(isAsked(legacy)).toBe(true);
    expect(isAsked()).toBe(false);
    expect(isAsked({ ...legacy, metadata: { ...legacy.metadata, name: 'another' } })).toBe(false);
  });
});
