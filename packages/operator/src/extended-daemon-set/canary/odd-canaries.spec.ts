import { describe, expect, it } from 'vitest';
import { refusalOf } from '@atoll/kube/testing';
import { ago, podOn, replicaSet } from '../extended-daemon-set.fixture.ts';
import { trialName } from '../rolling/refusals/trial-name.ts';
import { active, canaryPod, touched, tried, trying } from './canary.fixture.ts';

describe('a strategy that cannot be used', () => {
  const canary = { autoPause: { maxRestarts: 5 }, autoFail: { maxRestarts: 2 } };

  it.each(['rolling-update-paused', 'rollout-frozen'])(
    'deletes nothing on the nodes of a canary, also with the annotation %s',
    (name) => {
      const annotations = { [`extendeddaemonset.datadoghq.com/${name}`]: 'true' };
      const pods = ['a', 'b', 'c'].map((node) => podOn(node, active));
      expect(touched(trying({ canary, annotations, pods }))).toEqual([]);
    },
  );
});

describe('a canary at which nobody looked until its timeout was over', () => {
  const conditions = [{ type: 'Canary', status: 'True', lastTransitionTime: ago(1300) } as const];
  const replicaSets = [active, replicaSet(2, { created: ago(1300), conditions })];
  const canary = { duration: '10m', autoFail: { canaryTimeout: '15m' } };
  const manual = { validationMode: 'manual', autoFail: { canaryTimeout: '15m' } } as const;
  const validated = { 'extendeddaemonset.datadoghq.com/canary-valid': 'agent-2' };

  it('is promoted where its duration is over and its pods are Ready', () => {
    const { roles } = trying({ canary, replicaSets, pods: canaryPod({ created: ago(1290) }) });
    expect(roles).toMatchObject({ failed: undefined, promoted: { promote: true } });
  });

  it('is promoted where a person has validated it', () => {
    const pods = canaryPod({ created: ago(1290) });
    const { roles } = trying({ canary: manual, annotations: validated, replicaSets, pods });
    expect(roles).toMatchObject({ failed: undefined, promoted: { promote: true } });
  });

  it.each([
    ['its pods are not Ready', { canary, pods: canaryPod({ created: ago(1290), ready: false }) }],
    ['its pods restart too often', { canary, pods: canaryPod({ created: ago(1290), restarts: 3 }) }],
    ['nobody has validated it', { canary: manual, pods: canaryPod({ created: ago(1290) }) }],
  ])('fails where %s', (_, given) => {
    const { roles } = trying({ replicaSets, ...given });
    expect(roles).toMatchObject({ failed: { by: 'autoFail.canaryTimeout' }, promoted: undefined });
  });

  it('has failed where its status says so', () => {
    const failed = [{ type: 'Canary-Failed', status: 'True', reason: 'TimeoutExceeded' } as const];
    const recorded = replicaSet(2, { created: ago(1300), conditions: [...conditions, ...failed] });
    const { roles } = trying({
      canary,
      replicaSets: [active, recorded],
      pods: canaryPod({ created: ago(1290) }),
    });
    expect(roles).toMatchObject({ failed: { by: 'failed before' }, promoted: undefined });
  });
});

describe('a canary pod whose successor is refused', () => {
  const answer = refusalOf(403, 'try', 'maximum memory is 1Gi');
  const overrides = { hash: undefined, nodeHash: undefined, setting: undefined };
  const on = { target: { id: 'a' }, overrides } as unknown as Parameters<typeof trialName>[1];
  const refused = new Map([[trialName(tried, on), { answer }]]);
  const canary = { duration: '1h' };

  it('is judged by its restarts where only its overrides are others, because it stays', () => {
    const pods = canaryPod({ restarts: 6, annotations: { 'atoll.dev/overrides-hash': 'other' } });
    expect(trying({ canary, pods, refused }).roles?.failed).toMatchObject({ by: 'autoFail.maxRestarts' });
    expect(trying({ canary, pods }).roles?.failed).toBeUndefined();
  });

  it('is not judged where it is of the template before', () => {
    const pods = [podOn('a', active, { restarts: 6 }), podOn('b', active), podOn('c', active)];
    expect(trying({ canary, pods, refused }).roles?.failed).toBeUndefined();
  });
});
