// Replica sets that people edit or delete, which nobody should.
import {
  extendedDaemonSetLabels as labels,
  extendedDaemonSets,
  replicaSetConditions as types,
} from '@atoll/api';
import { describe, expect, it } from 'vitest';
import { trying, touched, active, canaryPod, onNodeA, tried, type Given } from '../canary/canary.fixture.ts';
import { decide } from '../decide.ts';
import {
  agent,
  ago,
  nodesNamed,
  now,
  podOn,
  replicaSet,
  snapshotOf,
  template,
} from '../extended-daemon-set.fixture.ts';
import { plan } from '../plan.ts';
import { renderReplicaSet } from './render-replica-set.ts';

describe('a replica set whose template somebody edits', () => {
  const object = agent('agent:1', { status: { activeReplicaSet: '' } });
  const rendered = renderReplicaSet(object);
  const made = { ...replicaSet(1, { name: rendered.metadata.name }), spec: rendered.spec };
  const edited = { ...made, spec: { ...made.spec, template: template('evil:1') } };

  it('is left as it is, and another one is made under a name that is free', () => {
    const again = renderReplicaSet(object, [edited]);
    expect(again.metadata.name).not.toBe(rendered.metadata.name);
    expect(renderReplicaSet(object, [made]).metadata.name).toBe(rendered.metadata.name);
    const snapshot = snapshotOf({ object, replicaSets: [edited], nodes: nodesNamed('a') });
    const steps = plan(snapshot, decide(snapshot, now), now).stages.flatMap(({ steps: each }) => each);
    expect(steps).toMatchObject([{ do: 'create', object: { metadata: { name: again.metadata.name } } }]);
  });

  it('ends no pod of its own, because pods are known by their owner', () => {
    const found = { ...active, spec: { ...active.spec, template: template('evil:1') } };
    const canary = { validationMode: 'manual' } as const;
    const { roles, steps } = trying({ canary, replicaSets: [found, replicaSet(2)], pods: canaryPod() });
    expect(roles?.active).toBe(found);
    expect(steps.filter(({ do: does }) => does === 'delete')).toEqual([]);
  });
});

describe('an active replica set that somebody deletes', () => {
  const tried = (type: string) =>
    replicaSet(2, { created: ago(9000), conditions: [{ type, status: 'True', reason: 'Error' }] });
  const left = { canary: {}, pods: [podOn('a', replicaSet(2))] };
  /** The canary, for longer than it waits for (`lost-active.spec.ts`). */
  const running = replicaSet(2, {
    conditions: [{ type: 'Canary', status: 'True', reason: 'ActiveReplicaSetGone', lastUpdateTime: ago(60) }],
  });

  it.each([
    ['Canary-Failed', 'failed', 'CanaryFailed', 'Canary Failed'],
    // Not Running, which is complete for `check-eds`.
    ['Canary-Paused', 'paused', 'CanaryPaused', 'Canary Paused'],
  ])('is not followed by a canary that is %s', (type, is, reason, state) => {
    const given = { ...left, replicaSets: [tried(type)] };
    const found = trying(given);
    expect(found.roles).toMatchObject({ active: undefined, stopped: { is } });
    expect(touched(found)).toEqual([]);
    const shown = {
      type,
      status: 'True',
      message: `${type.toLowerCase().replace('-', ' ')} with ers: agent-2`,
    };
    const conditions = expect.arrayContaining([expect.objectContaining(shown)]);
    expect(found.status).toMatchObject({ activeReplicaSet: 'agent-1', state, conditions });
    expect(found.status).toMatchObject(is === 'paused' ? { reason: 'Error' } : {});
    expect(found.holds).toMatchObject([{ reason, problem: expect.stringContaining('canary-valid=agent-2') }]);
    expect(found.ofReplicaSet('agent-2')).toMatchObject({
      conditions: expect.arrayContaining([expect.objectContaining({ type, status: 'True' })]),
    });
    const annotations = { 'extendeddaemonset.datadoghq.com/canary-valid': 'agent-2' };
    expect(trying({ ...given, annotations }).roles?.active?.metadata.name).toBe('agent-2');
  });

  it('is followed by the one of the template, where nothing prevents it', () => {
    expect(trying({ ...left, replicaSets: [running] }).roles?.active?.metadata.name).toBe('agent-2');
  });

  it('is followed by one that failed when a person takes the canary out of the strategy', () => {
    const object = agent('agent:2');
    const snapshot = snapshotOf({ object, replicaSets: [tried('Canary-Failed')], nodes: nodesNamed('a') });
    expect(decide(snapshot, now).fleet?.roles).toMatchObject({
      active: { metadata: { name: 'agent-2' } },
      stopped: undefined,
    });
  });

  it('is not followed by a canary that has failed where the status has lost its name too', () => {
    const found = trying({ ...left, recordedActive: '', replicaSets: [tried('Canary-Failed')] });
    expect(found.roles).toMatchObject({ active: undefined, stopped: { is: 'failed' } });
    expect(touched(found)).toEqual([]);
    const problem = expect.stringContaining('there is no active replica set');
    expect(found.holds).toMatchObject([{ reason: 'CanaryFailed', problem }]);
  });

  it('has no role any more while it is being deleted, and one of the template is made again', () => {
    const going = (of: ReturnType<typeof replicaSet>) => ({
      ...of,
      metadata: { ...of.metadata, deletionTimestamp: ago(1) },
    });
    const { roles, steps } = trying({ replicaSets: [active, going(replicaSet(2))], pods: canaryPod() });
    expect(roles).toMatchObject({ active: { metadata: { name: 'agent-1' } }, upToDate: undefined });
    expect(steps.map(({ why }) => why.word)).toContain('ReplicaSetCreated');
    const lost = trying({ replicaSets: [going(active), running], pods: canaryPod() });
    expect(lost.roles?.active?.metadata.name).toBe('agent-2');
  });
});

describe('a status that names no replica set that there is', () => {
  it('gives a template that is tried not to all nodes, while another one shows that it is active', () => {
    const is = (type: string) => ({ type, status: 'True' as const, lastTransitionTime: ago(600) });
    const serving = replicaSet(1, { conditions: [is('Active')] });
    const canary = replicaSet(2, { created: ago(10), conditions: [is('Canary')] });
    const { roles } = trying({
      canary: { validationMode: 'manual' },
      recordedActive: 'agent-l',
      replicaSets: [serving, canary],
      pods: canaryPod(),
    });
    expect(roles?.active?.metadata.name).toBe('agent-1');
  });
});

describe('a replica set that has lost its owner', () => {
  const withoutOwner = (of: typeof active) => ({ ...of, metadata: { ...of.metadata, ownerReferences: [] } });
  const withCondition = (of: typeof active, type: string) => {
    const condition = { type, status: 'True', lastTransitionTime: ago(60), lastUpdateTime: ago(60) } as const;
    return { ...of, status: { ...of.status, conditions: [condition] } } as typeof active;
  };
  /** As `observe` finds it until the adoption has taken place. */
  const left = (orphan: typeof active, others: readonly (typeof active)[], given: Given = {}) => {
    const pods = canaryPod().map((pod, index) =>
      index === 0 ? { ...pod, metadata: { ...pod.metadata, labels: { [labels.canary]: 'true' } } } : pod,
    );
    const formerPods = pods
      .filter(({ metadata }) => metadata.ownerReferences?.[0]?.uid === orphan.metadata.uid)
      .map((pod) => ({ pod, of: orphan.metadata.name, found: orphan }));
    const snapshot = { orphans: [withoutOwner(orphan)], replicaSets: others, pods, formerPods };
    return trying({ canary: { duration: '10m' }, ...snapshot, ...given });
  };
  const wordsOf = ({ steps }: ReturnType<typeof trying>) => steps.map(({ why }) => why.word);
  const annotations = { 'extendeddaemonset.datadoghq.com/canary-valid': 'agent-2' };

  it.each<[string, Given]>([
    ['whose time is over', {}],
    ['that a person validates', { canary: { validationMode: 'manual' }, annotations }],
    ['that waits for a person', { canary: { validationMode: 'manual' } }],
  ])('stays the active one, and the canary %s stays the canary, until it is adopted', (_, given) => {
    const found = left(active, [tried], given);
    expect(wordsOf(found)).toEqual(['ChildAdopted']);
    const counts = { desired: 3, current: 3, ready: 3, upToDate: 1 };
    expect(found.status).toMatchObject({
      state: 'Canary',
      activeReplicaSet: 'agent-1',
      canary: onNodeA,
      ...counts,
    });
    expect(found.ofReplicaSet('agent-1')).toBeUndefined();
  });

  it('stays the active one where a person takes the canary out of the strategy meanwhile', () => {
    const owner = { resource: extendedDaemonSets, object: agent('agent:2', { status: { canary: onNodeA } }) };
    const found = left(active, [tried], { owner });
    expect(wordsOf(found).filter((word) => word !== 'PodLabelled')).toEqual(['ChildAdopted']);
    expect(found.status).toMatchObject({ activeReplicaSet: 'agent-1' });
  });

  it('of a status that names none: the canary that was adopted before it takes no role', () => {
    const lost = { recordedActive: '', recorded: null };
    const canary = withCondition(tried, types.canary);
    const found = left(withCondition(active, types.active), [canary], lost);
    expect(wordsOf(found)).toEqual(['ChildAdopted']);
    expect(found.status).toMatchObject({ activeReplicaSet: '' });
    expect(found.ofReplicaSet('agent-2')).toMatchObject({
      status: 'canary',
      conditions: expect.arrayContaining([
        expect.objectContaining({ type: types.canary, status: 'True', lastTransitionTime: ago(60) }),
      ]),
    });
    const adopted = left(tried, [withCondition(active, types.active), canary], { ...lost, orphans: [] });
    expect(adopted.status).toMatchObject({ activeReplicaSet: 'agent-1' });
  });

  it('stays the canary that is paused, and no other one is deleted meanwhile', () => {
    const paused = withCondition(tried, types.canaryPaused);
    const found = left(paused, [active, replicaSet(0)]);
    expect(wordsOf(found)).toEqual(['ChildAdopted']);
    expect(found.status).toMatchObject({
      state: 'Canary Paused',
      activeReplicaSet: 'agent-1',
      canary: onNodeA,
    });
    expect(wordsOf(left(paused, [active, paused, replicaSet(0)], { orphans: [], formerPods: [] }))).toContain(
      'ReplicaSetObsolete',
    );
  });
});
