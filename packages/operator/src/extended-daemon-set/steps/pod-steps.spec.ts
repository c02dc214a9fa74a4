import { extendedDaemonSetLabels as labels } from '@atoll/api';
import { describe, expect, it } from 'vitest';
import { decide } from '../decide.ts';
import { agent, nodesNamed, now, podOn, replicaSet, snapshotOf } from '../extended-daemon-set.fixture.ts';
import type { NodeTarget } from '../fleet/nodes/node-targets.ts';
import { deleteEnded, deleteOutdated, deleteUnwanted, labelCanary, tryPod } from './pod-steps.ts';

const [old, current] = [replicaSet(1), replicaSet(2)];
const object = agent('agent:2', { status: { activeReplicaSet: 'agent-2' } });

/** Node a, on which the current replica set is to run a pod, with this one. */
function targetWith(pod: ReturnType<typeof podOn>): NodeTarget {
  const snapshot = snapshotOf({
    object,
    replicaSets: [old, current],
    nodes: nodesNamed('a'),
    pods: [pod],
  });
  const [target] = decide(snapshot, now).fleet?.active?.targets ?? [];
  if (target === undefined) throw new Error('node a is no target');
  return target;
}

describe('the deletion of an outdated pod', () => {
  const deletionOf = (pod: ReturnType<typeof podOn>, isRetry = false) =>
    deleteOutdated(object, targetWith(pod), current, [], isRetry)[0];

  it('is for the pod as it was seen where it is not healthy, because it is taken first for that', () => {
    expect(deletionOf(podOn('a', old, { ready: false }))).toMatchObject({ resourceVersion: '1' });
    expect(deletionOf(podOn('a', old))).not.toHaveProperty('resourceVersion');
  });

  it.each([
    ['is of agent-1, and the node is to run agent-2', podOn('a', old)],
    ['belongs to no replica set, and the node is to run agent-2', withoutOwner(podOn('a', old))],
    [
      'is of a replica set agent-2 that is gone, and the node is to run the one of this name',
      podOn('a', { ...current, metadata: { ...current.metadata, uid: 'gone' } }),
    ],
  ])('says that it %s', (cause, pod) => {
    const { name } = pod.metadata;
    const target: NodeTarget = {
      ...targetWith(podOn('a', old)),
      pods: { kept: pod, duplicates: [], ending: [], ended: [] },
    };
    const [step] = deleteOutdated(object, target, current, [], false);
    expect(step?.why.message).toBe(`pod ${name} of node a ${cause}`);
  });

  it('is marked where it was refused before', () => {
    expect(deletionOf(podOn('a', old), true)).toMatchObject({ isRetry: true });
    expect(deletionOf(podOn('a', old))).not.toHaveProperty('isRetry');
  });

  it('is none where there is no pod', () => {
    const none = {
      ...targetWith(podOn('a', old)),
      pods: { kept: undefined, duplicates: [], ending: [], ended: [] },
    };
    expect(deleteOutdated(object, none, current, [], false)).toEqual([]);
  });
});

it.each([true, false])('the deletion of an unwanted pod that was refused before is marked: %s', (isRetry) => {
  const step = deleteUnwanted({ pod: podOn('a', old), node: 'a', because: 'node-gone' }, undefined, isRetry);
  expect('isRetry' in step).toBe(isRetry);
});

describe('the trial of a pod', () => {
  const more = {
    ...old,
    spec: { ...old.spec, template: asking(old.spec.template, { limits: { cpu: '2' } }) },
  };
  const madeOf = (of: typeof old, annotations = {}) => podOn('a', of, { annotations });
  const overridden = madeOf(old, { 'atoll.dev/overrides-hash': 'other' });

  it.each([
    ['as much of quotas as the one that it replaces', old, madeOf(old), true],
    ['perhaps less, where that one asks for more', more, madeOf(more), undefined],
    ['perhaps less, where the template of that one is gone', current, madeOf(old), undefined],
    ['perhaps less, where that one has no owner', old, withoutOwner(madeOf(old)), undefined],
    ['perhaps less, where that one has other overrides', old, overridden, undefined],
  ])('asks for %s', (_, before, pod, asksTheSame) => {
    const replicaSets = [...new Set([before, current])];
    const step = tryPod(object, targetWith(pod), current, false, { turn: 1, replicaSets });
    expect(step.asksTheSame).toBe(asksTheSame);
  });

  it('asks for nothing in the place of another one where none is', () => {
    const target = { ...targetWith(podOn('a', old)), pods: { duplicates: [], ending: [], ended: [] } };
    const none = { ...target, pods: { ...target.pods, kept: undefined } };
    expect(tryPod(object, none, current, false, { turn: 1, replicaSets: [old] }).asksTheSame).toBe(undefined);
  });
});

function asking(
  template: typeof old.spec.template,
  resources: { readonly limits: Readonly<Record<string, string>> },
): typeof template {
  const containers = (template.spec?.containers ?? []).map((each) => ({ ...each, resources }));
  return { ...template, spec: { ...template.spec, containers } };
}

describe('the deletion of a pod that has ended', () => {
  const deletionsOf = (phase: string, reason?: string, isRetry = false) => {
    const pod = podOn('a', current, { phase });
    const replaces = reason === undefined ? pod : { ...pod, status: { ...pod.status, reason } };
    return deleteEnded({ ...targetWith(podOn('a', current)), replaces }, isRetry);
  };

  it('says how it ended', () => {
    expect(deletionsOf('Succeeded')[0]?.why.message).toBe('pod agent-2-a of node a is Succeeded');
    expect(deletionsOf('Failed', 'Evicted')[0]?.why.message).toBe(
      'pod agent-2-a of node a is Failed (Evicted)',
    );
  });

  it('is marked where it was refused before', () => {
    expect(deletionsOf('Failed', undefined, true)[0]).toMatchObject({ isRetry: true });
    expect(deletionsOf('Failed')[0]).not.toHaveProperty('isRetry');
  });
});

describe('the label of canary pods', () => {
  const labelled = (value: string | undefined) => {
    const pod = podOn('a', current);
    const own = value === undefined ? {} : { labels: { [labels.canary]: value } };
    return targetWith({ ...pod, metadata: { ...pod.metadata, ...own } });
  };
  const written = (target: NodeTarget, isCanary: boolean) =>
    labelCanary(target, isCanary).map((step) => ('patch' in step ? step.patch.body : undefined));

  it('is set, and taken off', () => {
    expect(written(labelled(undefined), true)).toEqual([
      { metadata: { labels: { [labels.canary]: 'true' } } },
    ]);
    expect(written(labelled('true'), false)).toEqual([{ metadata: { labels: { [labels.canary]: null } } }]);
  });

  it('stays where it is right, and on pods that are replaced anyway', () => {
    expect(written(labelled('true'), true)).toEqual([]);
    expect(written(labelled(undefined), false)).toEqual([]);
    expect(written(targetWith(podOn('a', old)), true)).toEqual([]);
  });
});

function withoutOwner(pod: ReturnType<typeof podOn>): ReturnType<typeof podOn> {
  const { ownerReferences: _, ...metadata } = pod.metadata;
  return { ...pod, metadata };
}
