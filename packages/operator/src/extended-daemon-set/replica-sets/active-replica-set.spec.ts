// A status that has lost the name of the active replica set: a backup that is restored has none, nor has what a stranger writes as a whole.
import {
  extendedDaemonSetLabels as labels,
  replicaSetConditions as types,
  type ExtendedDaemonSetStatus,
} from '@atoll/api';
import { conditionOf, controllerOf } from '@atoll/kube';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { touched, trying, type Given } from '../canary/canary.fixture.ts';
import { decide } from '../decide.ts';
import { agent, ago, now, podOn, replicaSet, snapshotOf } from '../extended-daemon-set.fixture.ts';
import { report } from '../report.ts';

function set(n: number, ...conditions: readonly string[]): ReturnType<typeof replicaSet> {
  const found = conditions.map((type) => ({
    type,
    status: 'True',
    reason: 'Error',
    lastTransitionTime: ago(60),
    lastUpdateTime: ago(60),
  }));
  return replicaSet(n, { created: ago(90), conditions: found });
}

const [first, second] = [replicaSet(1), replicaSet(2)];
const pods = [podOn('a', second), podOn('b', first), podOn('c', first)];

function ofDaemonSet(pod: (typeof pods)[number]): typeof pod {
  const owner = { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'old', uid: 'uid-old', controller: true };
  return { ...pod, metadata: { ...pod.metadata, ownerReferences: [owner] } };
}

/** As a tool restores it: with its labels, and without an owner. */
function restored(pod: (typeof pods)[number]): typeof pod {
  const of = controllerOf(pod)?.name ?? '';
  return {
    ...pod,
    metadata: { ...pod.metadata, labels: { [labels.replicaSet]: of }, ownerReferences: [] },
  };
}

/** A pod whose DaemonSet was deleted with --cascade=orphan. */
function left(pod: (typeof pods)[number]): typeof pod {
  return { ...pod, metadata: { ...pod.metadata, labels: { [labels.name]: 'agent' }, ownerReferences: [] } };
}

function lost(given: Given): ReturnType<typeof trying> {
  return trying({ recordedActive: '', recorded: null, pods, canary: { duration: '10m' }, ...given });
}

describe('a status that has lost the name of the active replica set', () => {
  it.each(['active', 'rollingUpdatePaused', 'rolloutFrozen'] as const)(
    'gets it back from the condition %s, before a pod is touched',
    (condition) => {
      const found = lost({ replicaSets: [set(1, types[condition]), set(2, types.canary)] });
      expect(found.roles).toMatchObject({
        active: { metadata: { name: 'agent-1' } },
        canary: { replicaSet: { metadata: { name: 'agent-2' } } },
      });
      expect(touched(found)).toEqual([]);
      expect(found.status).toMatchObject({
        activeReplicaSet: 'agent-1',
        canary: { replicaSet: 'agent-2', nodes: ['a'] },
      });
    },
  );

  it('leaves a canary failed that has failed', () => {
    const found = lost({ replicaSets: [set(1, types.active), set(2, types.canaryFailed)] });
    expect(found.roles).toMatchObject({
      active: { metadata: { name: 'agent-1' } },
      failed: { reason: 'Error' },
    });
    expect(touched(found)).toEqual([]);
    expect(found.status).toMatchObject({ activeReplicaSet: 'agent-1', state: 'Canary Failed' });
  });

  it('gets, of several that were active, the one whose template most pods have', () => {
    const both = [set(1, types.active), set(2, types.active)];
    expect(lost({ replicaSets: both }).roles?.active?.metadata.name).toBe('agent-1');
    const turned = [podOn('a', second), podOn('b', second), podOn('c', first)];
    expect(lost({ replicaSets: both, pods: turned }).roles?.active?.metadata.name).toBe('agent-2');
  });

  it('counts the pods of replica sets that mean the same together, and takes the oldest of these', () => {
    const duplicate = { ...set(1, types.active), ...replicaSet(1, { name: 'agent-1-b', created: ago(80) }) };
    const both = [duplicate, set(1, types.active)];
    expect(lost({ replicaSets: [...both, set(2)] }).roles?.active?.metadata.name).toBe('agent-1');
  });

  describe('while none of several has more pods', () => {
    const tied = {
      replicaSets: [set(1, types.active), set(2), set(3, types.active)],
      pods: [podOn('a', replicaSet(3)), podOn('b', first)],
    };

    it('makes and deletes nothing, and names them', () => {
      const found = lost(tied);
      expect(found.roles).toMatchObject({ active: undefined, stopped: { is: 'unclear' } });
      expect(touched(found)).toEqual([]);
      expect(found.holds).toMatchObject([
        {
          reason: 'ActiveReplicaSetUnknown',
          problem:
            'status.activeReplicaSet is empty, and each of agent-1, agent-3 may be the active one. No pod is made or deleted until you decide. Write the name of the right one into the status. Or, where that is agent-1 or agent-3, put its template back into the spec. Or run the template in the spec on all nodes: set the annotation extendeddaemonset.datadoghq.com/canary-valid=agent-2',
        },
      ]);
    });

    it('keeps what shows that they were active', () => {
      const { status, ofReplicaSet } = lost(tied);
      expect(status).toMatchObject({ activeReplicaSet: '' });
      for (const name of ['agent-1', 'agent-3']) {
        expect(ofReplicaSet(name)).toMatchObject({
          conditions: expect.arrayContaining([
            expect.objectContaining({ type: types.active, status: 'True' }),
          ]),
        });
      }
    });

    it.each([
      ['', {}],
      [' while its rolling update is paused', { 'rolling-update-paused': 'true' }],
    ])('is frozen by its state, which tools of the old operator know, and says why%s', (_title, held) => {
      const annotations = Object.fromEntries(
        Object.entries(held).map(([name, value]) => [`extendeddaemonset.datadoghq.com/${name}`, value]),
      );
      const { status } = lost({ ...tied, annotations });
      expect(status).toMatchObject({ state: 'Rollout frozen', reason: 'ActiveReplicaSetUnknown' });
      const named = lost({ ...tied, annotations, recordedActive: 'agent-1' });
      expect(named.status).toMatchObject({ state: 'Canary' });
      expect(named.status).not.toHaveProperty('reason');
    });

    it('goes on when a person validates the template', () => {
      const annotations = { 'extendeddaemonset.datadoghq.com/canary-valid': 'agent-2' };
      expect(lost({ ...tied, annotations }).roles?.active?.metadata.name).toBe('agent-2');
    });
  });

  describe('while no replica set shows that it was active, as after a restore without any status', () => {
    const bare = { replicaSets: [set(1), set(2)] };

    it.each([
      ['with their owners', pods],
      ['without', pods.map(restored)],
      ['of the other template only', [podOn('b', first), podOn('c', first)]],
    ])('waits for a person, and gives the canary no other node: pods %s', (_title, found) => {
      const { roles, holds, ...rest } = lost({ ...bare, pods: found });
      expect(roles).toMatchObject({ active: undefined, stopped: { is: 'unclear' } });
      expect(touched({ roles, holds, ...rest })).toEqual([]);
      expect(holds.map(({ reason }) => reason)).toEqual(['ActiveReplicaSetUnknown']);
      expect(rest.status).toMatchObject({ activeReplicaSet: '' });
    });

    it.each([
      ['all pods are gone', []],
      ['only those of the template are left', [podOn('a', second)]],
    ])('waits on where %s, as on drained nodes or where somebody deletes them', (_title, pods) => {
      const { conditions = [] } = lost(bare).status as ExtendedDaemonSetStatus;
      const { roles, holds, ...rest } = lost({ ...bare, pods, conditions });
      expect(roles).toMatchObject({ active: undefined, stopped: { is: 'unclear' } });
      expect(holds.map(({ reason }) => reason)).toEqual(['ActiveReplicaSetUnknown']);
      expect(touched({ roles, holds, ...rest })).toEqual([]);
      const named = lost({ ...bare, pods, conditions, recordedActive: 'agent-1' });
      expect(named.roles?.active?.metadata.name).toBe('agent-1');
      const annotations = { 'extendeddaemonset.datadoghq.com/canary-valid': 'agent-2' };
      const validated = lost({ ...bare, pods, conditions, annotations });
      expect(validated.roles?.active?.metadata.name).toBe('agent-2');
      const alone = lost({ replicaSets: [set(2)], pods, conditions });
      expect(alone.roles?.active?.metadata.name).toBe('agent-2');
    });

    it('shows that before a mistake in the strategy, so that it still waits when the pods go meanwhile', () => {
      const canary = { replicas: 'many' };
      const { conditions = [] } = lost({ ...bare, canary }).status as ExtendedDaemonSetStatus;
      const { roles, ...rest } = lost({ ...bare, pods: [], conditions });
      expect(roles).toMatchObject({ active: undefined, stopped: { is: 'unclear' } });
      expect(touched({ roles, ...rest })).toEqual([]);
      const both = lost({ ...bare, canary }).holds.map(({ reason }) => reason);
      expect(both).toEqual(['ActiveReplicaSetUnknown', 'InvalidStrategy']);
    });

    it('waits on where all pods go before a third template has its replica set', () => {
      const { conditions: first = [] } = lost(bare).status as ExtendedDaemonSetStatus;
      const given = { ...bare, image: 'agent:3', pods: [] };
      const third = lost({ ...given, conditions: first });
      expect(third.steps.map(({ why }) => why.word)).toEqual(['ReplicaSetCreated']);
      expect(third.holds).toMatchObject([
        {
          reason: 'ActiveReplicaSetUnknown',
          problem:
            'status.activeReplicaSet is empty, and each of agent-1, agent-2 may be the active one. No pod is made or deleted until you decide. Write the name of the right one into the status',
        },
      ]);
      const { conditions = [] } = third.status as ExtendedDaemonSetStatus;
      const made = lost({ ...given, conditions, replicaSets: [...bare.replicaSets, set(3)] });
      expect(made.roles).toMatchObject({ active: undefined, stopped: { is: 'unclear' } });
    });

    it('waits on where all pods go while another controller serves the object', () => {
      const { conditions: first = [] } = lost(bare).status as ExtendedDaemonSetStatus;
      const status = { activeReplicaSet: '', conditions: first };
      const object = agent('agent:2', { strategy: { canary: { duration: '10m' } }, status });
      const own = [{ by: 'eds-controller', at: now - 1_000, replicaSet: 'agent-1' }];
      const snapshot = snapshotOf({ ...bare, object, foreignWrites: { own, elsewhere: [] } });
      const [left] = report(snapshot, decide(snapshot, now), { results: [] }, now);
      const { conditions = [] } = (left?.status ?? {}) as Partial<ExtendedDaemonSetStatus>;
      expect(conditions.find(({ type }) => type === 'Ready')?.reason).toBe('ServedByAnotherController');
      expect(lost({ ...bare, pods: [], conditions }).roles?.active).toBeUndefined();
    });

    it('waits on whatever follows until a person names it', () => {
      const { conditions: before } = lost(bare).status as ExtendedDaemonSetStatus;
      const prefix = 'extendeddaemonset.datadoghq.com';
      const steps = fc.record({
        image: fc.constantFrom('agent:1', 'agent:2', 'agent:3', 'agent:4'),
        pods: fc.subarray([podOn('a', first), podOn('b', second), podOn('c', replicaSet(3))]),
        isMade: fc.boolean(),
        isOrphan: fc.boolean(),
        of: fc.constantFrom([], [types.canaryFailed], [types.canaryPaused], [types.canary]),
        recorded: fc.constantFrom(null, { replicaSet: 'agent-2', nodes: ['a'] }),
        annotation: fc.constantFrom('canary-paused', 'canary-failed', 'rolling-update-paused', 'x'),
      });
      fc.assert(
        fc.property(fc.array(steps, { minLength: 1, maxLength: 4 }), (following) => {
          let conditions = before;
          for (const { isMade, isOrphan, of, annotation, ...given } of following) {
            const all = [set(1), set(2, ...of), ...(isMade ? [set(3)] : [])];
            const found = lost({
              ...given,
              ...(conditions === undefined ? {} : { conditions }),
              annotations: { [`${prefix}/${annotation}`]: 'true' },
              replicaSets: isOrphan ? all.slice(1) : all,
              orphans: isOrphan ? all.slice(0, 1) : [],
            });
            expect(touched(found)).toEqual([]);
            expect(found.steps.filter((step) => step.do === 'delete')).toEqual([]);
            const status = found.status as ExtendedDaemonSetStatus;
            ({ conditions } = status);
            expect(status.activeReplicaSet).toBe('');
            expect(conditionOf({ status }, 'ActiveReplicaSetUnknown')?.status).toBe('True');
            expect(conditionOf({ status }, 'Ready')?.reason).toBe('ActiveReplicaSetUnknown');
          }
        }),
        { numRuns: 100 },
      );
    });

    it('is not shown by an object that never lost it', () => {
      const { status } = trying({ recordedActive: 'agent-1', canary: { duration: '10m' } });
      expect(conditionOf({ status: status as ExtendedDaemonSetStatus }, 'ActiveReplicaSetUnknown')).toBe(
        undefined,
      );
    });

    it('forgets it when a person has named the active one', () => {
      const { conditions: first = [] } = lost(bare).status as ExtendedDaemonSetStatus;
      const named = lost({ ...bare, conditions: first, recordedActive: 'agent-1' });
      const { conditions = [] } = named.status as ExtendedDaemonSetStatus;
      expect(conditions.find(({ type }) => type === 'ActiveReplicaSetUnknown')?.status).toBe('False');
    });

    it('makes the replica set of a template that has none, and waits then', () => {
      const found = lost({ replicaSets: [set(1), set(3)], pods: [podOn('b', first)] });
      expect(touched(found)).toEqual([]);
      expect(found.roles?.active).toBeUndefined();
    });

    it('goes on when a person names the active one', () => {
      const found = lost({ ...bare, recordedActive: 'agent-1' });
      expect(found.roles).toMatchObject({
        active: { metadata: { name: 'agent-1' } },
        canary: { replicaSet: { metadata: { name: 'agent-2' } } },
      });
    });

    it('goes on when a person validates the template', () => {
      const annotations = { 'extendeddaemonset.datadoghq.com/canary-valid': 'agent-2' };
      expect(lost({ ...bare, annotations }).roles?.active?.metadata.name).toBe('agent-2');
    });

    it.each([
      ['no pod is there', bare.replicaSets, []],
      ['all pods are of the template', bare.replicaSets, [podOn('a', second), podOn('b', second)]],
      ['there is one replica set', [set(2)], [podOn('a', second)]],
      ['the pods are of a DaemonSet that it replaces', bare.replicaSets, pods.map(ofDaemonSet)],
      ['the pods are left of a DaemonSet', bare.replicaSets, pods.map(left)],
    ])('goes on where %s', (_title, replicaSets, found) => {
      expect(lost({ replicaSets, pods: found }).roles?.active?.metadata.name).toBe('agent-2');
    });
  });

  it('is that of a new object, where none was active: its replica set gets the fleet', () => {
    expect(lost({ replicaSets: [set(2)], pods: [] }).roles?.active?.metadata.name).toBe('agent-2');
  });
});
