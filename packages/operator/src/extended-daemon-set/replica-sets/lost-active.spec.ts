// Replica sets that are gone in mid canary: one that a person deletes, or all of them, as when their definition is deleted and installed again.
import { extendedDaemonSetConditions, replicaSetConditions as types } from '@atoll/api';
import { describe, expect, it } from 'vitest';
import { canaryPod, onNodeA, touched, tried, trying, type Given } from '../canary/canary.fixture.ts';
import { decide } from '../decide.ts';
import {
  agent,
  ago,
  nodesNamed,
  now,
  podOn,
  replicaSet,
  snapshotOf,
} from '../extended-daemon-set.fixture.ts';
import { report } from '../report.ts';
import { renderReplicaSet } from './render-replica-set.ts';

type ReplicaSet = ReturnType<typeof replicaSet>;

function is(type: string, since: number, reason?: string) {
  const times = { lastTransitionTime: ago(since), lastUpdateTime: ago(since) };
  return { type, status: 'True' as const, ...(reason === undefined ? {} : { reason }), ...times };
}

/** Made again under the name that it had, with another uid. */
function madeAgain(n: number, ...conditions: readonly ReturnType<typeof is>[]): ReplicaSet {
  const made = replicaSet(n, { created: ago(20), conditions });
  return { ...made, metadata: { ...made.metadata, uid: `uid-agent-${n}-again` } };
}

/** The pods of replica sets that are gone, until the garbage collector comes. */
function leftPods(): Pick<Given, 'pods' | 'formerPods'> {
  const pods = canaryPod();
  const formerPods = pods.map((pod) => {
    return { pod, of: pod.metadata.ownerReferences?.[0]?.name ?? '', found: undefined };
  });
  return { pods, formerPods };
}

function lost(given: Given): ReturnType<typeof trying> {
  return trying({ canary: { duration: '10m' }, ...leftPods(), ...given });
}

/** The replica set with the conditions that are written for it. */
function asWritten(found: ReturnType<typeof trying>, of: ReplicaSet): ReplicaSet {
  const status = found.ofReplicaSet(of.metadata.name);
  return status === undefined ? of : ({ ...of, status } as ReplicaSet);
}

describe('all replica sets of an object that tries a canary are gone', () => {
  it('makes the one of the template again, and keeps in the status which was tried where', () => {
    const found = lost({ replicaSets: [] });
    expect(found.steps.map(({ why }) => why.word)).toEqual(['ReplicaSetCreated']);
    expect(found.status).toMatchObject({ activeReplicaSet: 'agent-1', canary: onNodeA, state: 'Canary' });
  });

  it('tries the template again on the nodes of its canary, and touches no other node', () => {
    const found = lost({ replicaSets: [madeAgain(2)] });
    expect(found.roles).toMatchObject({ active: undefined, promoted: undefined });
    expect(touched(found)).toEqual(['a']);
    expect(found.status).toMatchObject({ activeReplicaSet: 'agent-1', canary: onNodeA, state: 'Canary' });
  });

  it('does so where the replica set that is made again has another name', () => {
    const recorded = { replicaSet: 'agent-lbx7q', nodes: ['a'] };
    const found = lost({ recorded, replicaSets: [madeAgain(2)] });
    expect(touched(found)).toEqual([]);
    expect(found.status).toMatchObject({ activeReplicaSet: 'agent-1', canary: onNodeA });
  });

  it('goes on so when it is shown as canary, whatever else is deleted or comes', () => {
    const marked = asWritten(lost({ replicaSets: [madeAgain(2)] }), madeAgain(2));
    const found = lost({ replicaSets: [marked] });
    expect(found.roles?.active).toBeUndefined();
    expect(touched(found)).toEqual(['a']);
    const third = lost({ image: 'agent:3', replicaSets: [marked, madeAgain(3)] });
    expect(third.roles).toMatchObject({ active: undefined, canaryToRecord: { replicaSet: 'agent-3' } });
    expect(touched(third)).toEqual([]);
  });

  it('says what it waits for, and how to go back', () => {
    const { holds } = lost({ replicaSets: [madeAgain(2)] });
    expect(holds).toContainEqual(
      expect.objectContaining({
        reason: 'ActiveReplicaSetGone',
        problem:
          'the active replica set agent-1 is gone, and its template with it. The template in the spec is tried again as canary agent-2. Until it is promoted, no pod is made or deleted on other nodes. To go back, put the former template into the spec',
      }),
    );
  });

  it('promotes the template when its time is over and its pods are Ready', () => {
    const old = replicaSet(2, { created: ago(700), conditions: [is(types.canary, 690, 'ReplicaSetsGone')] });
    const found = lost({ replicaSets: [old], pods: [podOn('a', old)], formerPods: [] });
    expect(found.steps.map(({ why }) => why.word)).toEqual(['CanaryPromoted']);
  });

  it('gives the template to all nodes when a person validates it', () => {
    const annotations = { 'extendeddaemonset.datadoghq.com/canary-valid': 'agent-2' };
    expect(lost({ annotations, replicaSets: [madeAgain(2)] }).roles?.active?.metadata.name).toBe('agent-2');
  });

  it('takes the former template back as the active one where a person writes it into the spec', () => {
    const found = lost({ image: 'agent:1', replicaSets: [madeAgain(2), madeAgain(1)] });
    expect(found.roles).toMatchObject({ active: { metadata: { name: 'agent-1' } }, canary: undefined });
    expect(found.roles?.canaryToRecord).toBeUndefined();
  });

  it('knows the former template by its name, also where a person had validated it', () => {
    const { name } = renderReplicaSet(agent('agent:1')).metadata;
    const validated = { 'extendeddaemonset.datadoghq.com/canary-valid': name };
    const status = { activeReplicaSet: name, canary: onNodeA };
    const object = agent('agent:1', { strategy: { canary: {} }, annotations: validated, status });
    const made = renderReplicaSet(object);
    expect(made.metadata.name).toBe(name);
    // Where that name was taken when it was made, it has the next one.
    const { name: second } = renderReplicaSet(agent('agent:1', { annotations: validated })).metadata;
    const another = agent('agent:1', { status: { ...status, activeReplicaSet: second } });
    expect(renderReplicaSet(another).metadata.name).toBe(second);
    // A name that is taken is not had twice.
    const taken = { ...replicaSet(2), metadata: { ...replicaSet(2).metadata, name } };
    expect(renderReplicaSet(object, [taken]).metadata.name).not.toBe(name);
  });

  it('stays paused where the canary is paused again', () => {
    const conditions = [is(types.canary, 60, 'ReplicaSetsGone'), is(types.canaryPaused, 50, 'Error')];
    const found = lost({ replicaSets: [madeAgain(2, ...conditions)] });
    expect(touched(found)).toEqual([]);
    expect(found.status).toMatchObject({ canary: onNodeA, state: 'Canary Paused', reason: 'Error' });
  });

  it('makes and deletes nothing where it fails, and tries the next template as canary too', () => {
    const conditions = [is(types.canary, 60, 'ReplicaSetsGone'), is(types.canaryFailed, 50, 'Error')];
    const failed = madeAgain(2, ...conditions);
    const found = lost({ replicaSets: [failed], recorded: null });
    expect(touched(found)).toEqual([]);
    expect(found.holds).toMatchObject([{ reason: 'CanaryFailed' }]);
    const next = lost({ image: 'agent:3', replicaSets: [failed, madeAgain(3)], recorded: null });
    expect(next.roles).toMatchObject({ active: undefined, canaryToRecord: { replicaSet: 'agent-3' } });
  });

  it('tries a template that had failed, and stayed in the spec, as canary again', () => {
    const object = agent('agent:2', {
      strategy: { canary: {} },
      annotations: { 'atoll.dev/on-canary-failure': 'Hold' },
      status: { conditions: [is(extendedDaemonSetConditions.canaryFailed, 60)] },
    });
    const given = { object, nodes: nodesNamed('a', 'b', 'c'), ...leftPods() };
    const before = snapshotOf({ ...given, replicaSets: [] });
    const decided = decide(before, now);
    const [written] = report(before, decided, { results: [] }, now);
    expect(written?.status).toMatchObject({
      conditions: expect.arrayContaining([
        expect.objectContaining({ type: extendedDaemonSetConditions.canaryFailed, status: 'True' }),
      ]),
    });
    const { fleet } = decide(snapshotOf({ ...given, replicaSets: [madeAgain(2)] }), now);
    expect(fleet?.roles).toMatchObject({ active: undefined, canaryToRecord: { replicaSet: 'agent-2' } });
  });

  it('goes to all nodes at once where the strategy has no canary any more', () => {
    const object = agent('agent:2', { status: { canary: onNodeA } });
    const snapshot = snapshotOf({ object, replicaSets: [madeAgain(2)], nodes: nodesNamed('a') });
    expect(decide(snapshot, now).fleet?.roles.active?.metadata.name).toBe('agent-2');
  });
});

it('all replica sets of an object at rest are gone: the one that is made again serves all nodes, also where a strategy has a canary', () => {
  const object = agent('agent:2', { strategy: { canary: {} }, status: { activeReplicaSet: 'agent-2' } });
  const snapshot = snapshotOf({ object, replicaSets: [madeAgain(2)], nodes: nodesNamed('a', 'b') });
  const { fleet } = decide(snapshot, now);
  expect(fleet?.roles).toMatchObject({ active: { metadata: { name: 'agent-2' } }, canary: undefined });
});

describe('the active replica set is gone, and the canary is there', () => {
  const running = replicaSet(2, { created: ago(700), conditions: [is(types.canary, 690)] });
  const given = { canary: { validationMode: 'manual' } as const, pods: canaryPod() };

  it('waits for ten seconds, because the canary may be deleted with it', () => {
    const found = trying({ ...given, replicaSets: [running] });
    expect(found.roles).toMatchObject({ active: undefined, promoted: undefined });
    expect(touched(found)).toEqual([]);
    expect(found.requeueAt).toBe(now + 10_000);
    expect(found.status).toMatchObject({ activeReplicaSet: 'agent-1', canary: onNodeA });
    const later = asWritten(found, running);
    expect(trying({ ...given, replicaSets: [later] }).requeueAt).toBe(now + 10_000);
    expect(trying({ ...given, replicaSets: [running] }).holds).toContainEqual(
      expect.objectContaining({
        reason: 'ActiveReplicaSetGone',
        waitingUntil: 'canary agent-2 takes the place of the active replica set agent-1, which is gone',
        until: now + 10_000,
      }),
    );
  });

  it('is followed by it after that', () => {
    const seen = replicaSet(2, {
      created: ago(700),
      conditions: [is(types.canary, 10, 'ActiveReplicaSetGone')],
    });
    const found = trying({ ...given, replicaSets: [seen] });
    expect(found.roles?.active?.metadata.name).toBe('agent-2');
    expect(found.requeueAt).toBeUndefined();
  });

  it('takes no part in it when the canary is the object of another loss later', () => {
    const seen = replicaSet(2, {
      created: ago(700),
      conditions: [is(types.canary, 10, 'ActiveReplicaSetGone')],
    });
    const back = trying({ ...given, replicaSets: [replicaSet(1), seen] });
    const again = trying({ ...given, replicaSets: [asWritten(back, seen)] });
    expect(again.requeueAt).toBe(now + 10_000);
  });

  it('does not wait for a clock that was ahead', () => {
    const ahead = replicaSet(2, {
      created: ago(700),
      conditions: [is(types.canary, -900, 'ActiveReplicaSetGone')],
    });
    expect(trying({ ...given, replicaSets: [ahead] }).roles?.active?.metadata.name).toBe('agent-2');
  });
});

it('a canary whose own replica set alone is gone begins anew beside the active one', () => {
  const found = trying({ replicaSets: [replicaSet(1), { ...tried, metadata: madeAgain(2).metadata }] });
  expect(found.roles).toMatchObject({ active: { metadata: { name: 'agent-1' } } });
  expect(found.roles?.canaryToRecord).toEqual(onNodeA);
});
