// Replica sets that people edit or delete, which nobody should.
import { describe, expect, it } from 'vitest';
import { trying, touched, active, canaryPod } from '../canary/canary.fixture.ts';
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

  it.each([
    ['Canary-Failed', 'failed', 'CanaryFailed', 'Canary Failed'],
    ['Canary-Paused', 'paused', 'CanaryPaused', 'Running'],
  ])('is not followed by a canary that is %s', (type, is, reason, state) => {
    const given = { ...left, replicaSets: [tried(type)] };
    const found = trying(given);
    expect(found.roles).toMatchObject({ active: undefined, stopped: { is } });
    expect(touched(found)).toEqual([]);
    expect(found.status).toMatchObject({ activeReplicaSet: 'agent-1', state });
    expect(found.holds).toMatchObject([{ reason, problem: expect.stringContaining('canary-valid=agent-2') }]);
    expect(found.ofReplicaSet('agent-2')).toMatchObject({
      conditions: expect.arrayContaining([expect.objectContaining({ type, status: 'True' })]),
    });
    const annotations = { 'extendeddaemonset.datadoghq.com/canary-valid': 'agent-2' };
    expect(trying({ ...given, annotations }).roles?.active?.metadata.name).toBe('agent-2');
  });

  it('is followed by the one of the template, where nothing prevents it', () => {
    expect(trying({ ...left, replicaSets: [replicaSet(2)] }).roles?.active?.metadata.name).toBe('agent-2');
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
    const lost = trying({ replicaSets: [going(active), replicaSet(2)], pods: canaryPod() });
    expect(lost.roles?.active?.metadata.name).toBe('agent-2');
  });
});
