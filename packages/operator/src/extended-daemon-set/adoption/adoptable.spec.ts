// An object that was deleted with --cascade=orphan and made again gets its replica sets and its PodTemplate back.
import {
  extendedDaemonSetLabels,
  extendedDaemonSets,
  replicaSetConditions,
  type ExtendedDaemonSet,
} from '@atoll/api';
import { daemonSets, type KubeObject, type Stored } from '@atoll/kube';
import { describe, expect, it } from 'vitest';
import { ownerReference } from '../../children/ownership/owner.ts';
import { decide } from '../decide.ts';
import {
  agent,
  ago,
  nodesNamed,
  now,
  podOn,
  podTemplateOf,
  replicaSet,
  snapshotOf,
} from '../extended-daemon-set.fixture.ts';
import { plan } from '../plan.ts';
import { renderReplicaSet } from '../replica-sets/render-replica-set.ts';
import { adoptableReplicaSets, formerPodTemplate } from './adoptable.ts';

const object = agent('agent:1', { status: { activeReplicaSet: '' } });
const conditions = [
  { type: replicaSetConditions.active, status: 'True', lastTransitionTime: ago(60), lastUpdateTime: ago(60) },
] as const;

function named(name: string, uid = `uid-${name}`): Stored<ExtendedDaemonSet> {
  return { ...object, metadata: { ...object.metadata, name, uid } };
}

function orphan(name: string, metadata: object = {}): ReturnType<typeof replicaSet> {
  const found = replicaSet(1, { name, conditions });
  const labels = { [extendedDaemonSetLabels.name]: 'agent' };
  return { ...found, metadata: { ...found.metadata, labels, ownerReferences: [], ...metadata } };
}

const ours = orphan(renderReplicaSet(object).metadata.name);

describe('a replica set that nobody owns', () => {
  it.each([
    ['of ours', ours],
    ['of the old operator', orphan('agent-x7f2k')],
  ])('%s is adopted', (_, each) => {
    expect(adoptableReplicaSets(object, [each])).toEqual([each]);
  });

  it.each([
    ['whose name begins with that of another object', orphan('agent-2-x7f2k')],
    ['whose name neither operator gives', orphan('agent-1')],
    ['whose label names another object', orphan('agent-x7f2k', { labels: {} })],
    ['that is going', orphan('agent-x7f2k', { deletionTimestamp: ago(1) })],
    [
      'that somebody owns after all',
      orphan('agent-x7f2k', {
        ownerReferences: [ownerReference({ resource: extendedDaemonSets, object: named('agent', 'u') })],
      }),
    ],
  ])('%s is not', (_, each) => {
    expect(adoptableReplicaSets(object, [each])).toEqual([]);
  });

  it('is adopted by nothing that is going', () => {
    const going = { ...object, metadata: { ...object.metadata, deletionTimestamp: ago(1) } };
    expect(adoptableReplicaSets(going, [ours])).toEqual([]);
  });
});

describe('an object that has orphans', () => {
  const pods = [podOn('a', ours)];
  const formerPods = pods.map((pod) => ({ pod, of: ours.metadata.name, found: ours }));
  const given = { object, nodes: nodesNamed('a', 'b'), pods };

  it('adopts them first, as they were seen, and makes and deletes nothing', () => {
    const snapshot = snapshotOf({ ...given, formerPods, orphans: [ours] });
    const { stages, holds } = plan(snapshot, decide(snapshot, now), now);
    expect(stages.flatMap(({ steps }) => steps)).toMatchObject([
      {
        do: 'patch',
        key: { namespace: 'edge', name: ours.metadata.name },
        uid: ours.metadata.uid,
        resourceVersion: '1',
        irreversible: true,
        patch: { body: { metadata: { ownerReferences: [{ uid: object.metadata.uid, controller: true }] } } },
        why: { word: 'ChildAdopted' },
      },
    ]);
    expect(holds[0]).toMatchObject({ reason: 'FormerReplicaSetPresent', waitsFor: 'time', bad: false });
  });

  it('has the fleet as it was when they are its own: no pod restarts, and another template is tried first', () => {
    const replicaSets = [ours];
    expect(decide(snapshotOf({ ...given, replicaSets }), now).fleet?.roles.active).toBe(ours);
    const next = agent('agent:2', { strategy: { canary: {} }, status: { activeReplicaSet: '' } });
    const tried = replicaSet(2);
    const { roles } =
      decide(snapshotOf({ ...given, object: next, replicaSets: [ours, tried] }), now).fleet ?? {};
    expect(roles).toMatchObject({ active: ours, canary: { replicaSet: tried } });
  });
});

describe('the PodTemplate under the name of the object', () => {
  const own = podTemplateOf(object);
  const ownedBy = (resource: typeof extendedDaemonSets | typeof daemonSets, owner?: Stored<KubeObject>) => {
    const ownerReferences = owner === undefined ? [] : [ownerReference({ resource, object: owner })];
    return own && { ...own, metadata: { ...own.metadata, ownerReferences } };
  };
  const wordsWith = (former: ReturnType<typeof formerPodTemplate>) => {
    const snapshot = snapshotOf({ object, podTemplate: undefined, formerPodTemplate: former });
    const { stages } = plan(snapshot, decide(snapshot, now), now);
    return stages.flatMap(({ steps }) => steps.map((step) => `${step.do} ${step.why.word}`));
  };

  it('is adopted where nobody owns it', () => {
    const former = formerPodTemplate(object, ownedBy(extendedDaemonSets));
    expect(wordsWith(former)).toContain('patch ChildAdopted');
  });

  it('is waited for while the object before owns it', () => {
    const former = formerPodTemplate(object, ownedBy(extendedDaemonSets, named('agent', 'uid-before')));
    expect(former).toBeDefined();
    expect(wordsWith(former)).toEqual(['create ReplicaSetCreated']);
  });

  it.each([
    ['its own', ownedBy(extendedDaemonSets, object)],
    ["another object's", ownedBy(extendedDaemonSets, named('agent-2'))],
    ["something else's", ownedBy(daemonSets, named('agent'))],
    ['not there', undefined],
  ])('is nothing to wait for where it is %s', (_, found) => {
    expect(formerPodTemplate(object, found)).toBeUndefined();
  });
});
