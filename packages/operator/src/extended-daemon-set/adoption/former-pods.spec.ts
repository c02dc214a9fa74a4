// An object that was deleted and made again, or whose replica set a person deleted: its pods are of replica sets that are not its own.
import { extendedDaemonSetLabels, extendedDaemonSets, type ExtendedDaemonSetReplicaSet } from '@atoll/api';
import { daemonSets, type KubeObject, type Pod, type Stored } from '@atoll/kube';
import { describe, expect, it } from 'vitest';
import { caches } from '../../caches.ts';
import { ownerReference } from '../../children/ownership/owner.ts';
import { decide } from '../decide.ts';
import {
  agent,
  ago,
  filledCache,
  nodesNamed,
  now,
  podOn,
  replicaSet,
} from '../extended-daemon-set.fixture.ts';
import { keysForPod, keysForReplicaSet } from '../keys-for-event.ts';
import { observe, type ExtendedDaemonSetReaders } from '../observe.ts';
import { plan } from '../plan.ts';

type ReplicaSet = Stored<ExtendedDaemonSetReplicaSet>;

const key = { namespace: 'edge', name: 'agent' };
const object = agent('agent:1', { status: { activeReplicaSet: 'agent-new' } });
const [old, own] = [replicaSet(1), replicaSet(1, { name: 'agent-new' })];

function controlledBy(owner: Stored<KubeObject> | undefined, of = old): ReplicaSet {
  const resource = owner?.metadata.name === 'legacy' ? daemonSets : extendedDaemonSets;
  const ownerReferences = owner === undefined ? [] : [ownerReference({ resource, object: owner })];
  const labels = { [extendedDaemonSetLabels.name]: 'agent' };
  return { ...of, metadata: { ...of.metadata, labels, ownerReferences } };
}

function named(name: string, uid: string): typeof object {
  return { ...object, metadata: { ...object.metadata, name, uid } };
}

function labelled(pod: Stored<Pod>, name = 'agent'): Stored<Pod> {
  return { ...pod, metadata: { ...pod.metadata, labels: { [extendedDaemonSetLabels.name]: name } } };
}

const orphan = controlledBy(undefined);
const again = { ...old, metadata: { ...old.metadata, uid: 'uid-again' } };
const namesakes = controlledBy(named('agent', 'uid-before'));
const pods = [labelled(podOn('a', old)), labelled(podOn('b', old))];

function readersOf(
  sets: readonly ReplicaSet[],
  there: readonly Stored<Pod>[] = pods,
): ExtendedDaemonSetReaders {
  return {
    extendedDaemonSets: filledCache(caches.extendedDaemonSets, [object]),
    extendedDaemonSetReplicaSets: filledCache(caches.extendedDaemonSetReplicaSets, sets),
    extendedDaemonsetSettings: filledCache(caches.extendedDaemonsetSettings, []),
    definitionOfExtendedDaemonsetSettings: filledCache(caches.definitionOfExtendedDaemonsetSettings, []),
    extendedDaemonSetPods: filledCache(caches.extendedDaemonSetPods, there),
    extendedDaemonSetPodTemplates: filledCache(caches.extendedDaemonSetPodTemplates, []),
    daemonSets: filledCache(caches.daemonSets, []),
    replacedDaemonSetPods: { ...filledCache(caches.replacedDaemonSetPods, []), served: false },
    nodes: filledCache(caches.nodes, nodesNamed('a', 'b', 'c')),
  };
}

function does(sets: readonly ReplicaSet[], there: readonly Stored<Pod>[] = pods) {
  const snapshot = observe(readersOf(sets, there), key, 'auto');
  if (snapshot === undefined) throw new Error('there is nothing to do');
  const { holds, stages } = plan(snapshot, decide(snapshot, now), now);
  const steps = stages
    .flatMap(({ steps: all }) => all)
    .filter((step) => 'resource' in step && step.resource.plural === 'pods');
  return { snapshot, holds, steps, words: steps.map((step) => `${step.do} ${step.target}`) };
}

describe('a pod whose label names the object', () => {
  it.each([
    ['its replica set is gone', [own], 2],
    ['its replica set was deleted and made again', [own, again], 2],
    ['its replica set is an orphan', [own, orphan], 2],
    ['its replica set was of an object of this name', [own, namesakes], 2],
    ['its replica set is of another object', [own, controlledBy(named('agent-2', 'uid-agent-2'))], 0],
    ['its replica set is of another kind of object', [own, controlledBy(named('legacy', 'uid-legacy'))], 0],
  ])('has its node where %s, unless somebody else has it', (_, sets, count) => {
    expect(does(sets).snapshot.formerPods).toHaveLength(count);
  });

  it('is not counted where its label names another object, or something else controls it', () => {
    const [pod] = pods as [Stored<Pod>];
    const ownerReferences = [ownerReference({ resource: daemonSets, object: named('legacy', 'uid-legacy') })];
    const others = [
      labelled(podOn('a', old), 'agent-2'),
      { ...pod, metadata: { ...pod.metadata, ownerReferences } },
    ];
    expect(does([own], others).snapshot.pods).toEqual([]);
  });
});

describe('an object that was deleted and made again', () => {
  it('makes and deletes nothing while orphans have pods, and names them', () => {
    const { words, holds } = does([own, orphan]);
    expect(words).toEqual([]);
    expect(holds[0]).toMatchObject({
      reason: 'FormerReplicaSetPresent',
      waitsFor: 'person',
      problem:
        'the replica set agent-1 has no owner and still controls pods, so no pod is made or deleted. Release the pods, which are then replaced like those of an older template: kubectl delete extendeddaemonsetreplicasets agent-1 -n edge --cascade=orphan',
    });
  });

  it('waits for the garbage collector while replica sets of the object before have pods', () => {
    const { words, holds } = does([own, namesakes]);
    expect(words).toEqual([]);
    expect(holds[0]).toMatchObject({ reason: 'FormerReplicaSetPresent', waitsFor: 'time' });
  });

  it('makes pods on the other nodes when these are being deleted, and none beside them', () => {
    const going = pods.map((pod) => ({
      ...pod,
      metadata: { ...pod.metadata, deletionTimestamp: ago(0), deletionGracePeriodSeconds: 30 },
    }));
    expect(does([own, namesakes], going).words).toEqual(['create c']);
    expect(does([own], going).words).toEqual(['create c']);
  });
});

describe('an object whose replica set is gone', () => {
  it('gets no second pod on a node, and deletes one only while it is live that its replica set is gone', () => {
    const { words, steps } = does([own], [...pods, labelled(podOn('c', own))]);
    expect(words.filter((each) => each.startsWith('create'))).toEqual([]);
    const deleted = steps.filter((step) => step.do === 'delete');
    expect(deleted).toMatchObject([
      { restsOn: [{ key: { namespace: 'edge', name: 'agent-1' }, uid: undefined, labels: {} }] },
    ]);
  });

  it('rests on the one that has its name now', () => {
    const given = agent('agent:1');
    const readers = {
      ...readersOf([again], [...pods, labelled(podOn('c', again))]),
      extendedDaemonSets: filledCache(caches.extendedDaemonSets, [given]),
    };
    const snapshot = observe(readers, key, 'auto');
    if (snapshot === undefined) throw new Error('there is nothing to do');
    const steps = plan(snapshot, decide(snapshot, now), now).stages.flatMap(({ steps: all }) => all);
    expect(steps.filter((step) => step.do === 'delete')).toMatchObject([
      { restsOn: [{ uid: 'uid-again' }], why: { message: expect.stringContaining('agent-1 that is gone') } },
    ]);
  });

  it('is enqueued by its pods, and by a replica set that nobody owns', () => {
    const { extendedDaemonSets: owners, extendedDaemonSetReplicaSets: none } = readersOf([]);
    const { extendedDaemonSetReplicaSets: orphans } = readersOf([orphan]);
    const [pod] = pods as [Stored<Pod>];
    const event = { type: 'deleted', object: pod } as const;
    expect([keysForPod(owners, none, event), keysForPod(owners, orphans, event)]).toEqual([
      ['edge/agent'],
      ['edge/agent'],
    ]);
    expect(keysForReplicaSet(owners, { type: 'added', object: orphan })).toEqual(['edge/agent']);
  });
});
