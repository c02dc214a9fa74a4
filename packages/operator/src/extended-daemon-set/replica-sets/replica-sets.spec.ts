import { extendedDaemonSets } from '@atoll/api';
import type { Container, PodTemplateSpec } from '@atoll/kube';
import { describe, expect, it } from 'vitest';
import type { Step } from '../../engine/step.ts';
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
import { report } from '../report.ts';
import { mergeOldConditions } from './conditions.ts';
import { renderReplicaSet } from './render-replica-set.ts';

function stepsOf(snapshot: ReturnType<typeof snapshotOf>): readonly Step[] {
  return plan(snapshot, decide(snapshot, now), now).stages.flatMap(({ steps }) => steps);
}

function wordsOf(snapshot: ReturnType<typeof snapshotOf>): readonly string[] {
  return stepsOf(snapshot).map(({ why }) => why.word);
}

describe('the replica set of a template', () => {
  it('is found by its meaning, whatever hash the old operator wrote (BUG-30)', () => {
    const found = replicaSet(1);
    const old = { ...found, spec: { ...found.spec, templateGeneration: 'of another library' } };
    const snapshot = snapshotOf({ nodes: nodesNamed('a'), replicaSets: [old], pods: [podOn('a', old)] });
    expect(wordsOf(snapshot)).toEqual([]);
    expect(decide(snapshot, now).fleet?.roles.active).toBe(old);
  });

  it('is the one without the zeros that the API server does not keep, and its hash says what is written', () => {
    const probe = { tcpSocket: { port: 80 } };
    const withProbe = (livenessProbe: object): PodTemplateSpec => ({
      metadata: { labels: { app: 'agent' } },
      spec: { containers: [{ name: 'agent', image: 'agent:1', livenessProbe } as Container] },
    });
    const [bare, zero] = [probe, { ...probe, initialDelaySeconds: 0 }].map(withProbe);
    const object = agent('agent:1');
    for (const [before, after] of [
      [bare, zero],
      [zero, bare],
      [zero, zero],
    ]) {
      const found = replicaSet(1);
      const active = { ...found, spec: { ...found.spec, template: before ?? {} } };
      const changed = { ...object, spec: { ...object.spec, template: after ?? {} } };
      const pods = [podOn('a', active)];
      const snapshot = snapshotOf({ object: changed, nodes: nodesNamed('a'), replicaSets: [active], pods });
      expect(wordsOf(snapshot)).toEqual([]);
    }
    // As 0.3.0 writes them.
    const { metadata, spec } = renderReplicaSet({
      ...object,
      spec: { ...object.spec, template: zero ?? {} },
    });
    expect([metadata.name, spec.templateGeneration]).toEqual([
      'agent-lh46mqfkx2',
      'gz6tls7vq5k4qbqkwvvk57qj98nlnqbw',
    ]);
  });

  it('is the oldest of several, but the active one before all', () => {
    const [older, younger] = [
      replicaSet(1, { name: 'x', created: ago(20) }),
      replicaSet(1, { created: ago(10) }),
    ];
    const activeOf = (activeReplicaSet: string) =>
      decide(
        snapshotOf({
          object: agent('agent:1', { status: { activeReplicaSet } }),
          replicaSets: [younger, older],
        }),
        now,
      ).fleet?.roles.active?.metadata.name;
    expect(activeOf('')).toBe('x');
    expect(activeOf('agent-1')).toBe('agent-1');
  });

  it('is made once, under a name that follows from object and template', () => {
    const object = agent('agent:1', { status: { activeReplicaSet: '' } });
    expect(wordsOf(snapshotOf({ object }))).toEqual(['ReplicaSetCreated']);
    const [one, same, other] = [object, agent('agent:1'), agent('agent:2')].map((each) =>
      renderReplicaSet(each),
    );
    expect(one?.metadata.name).toBe(same?.metadata.name);
    expect(other?.metadata.name).not.toBe(one?.metadata.name);
  });

  it('is not the one that a person validated when the template was tried before: it is tried again', () => {
    const strategy = { canary: { validationMode: 'manual' } } as const;
    const before = renderReplicaSet(agent('agent:2')).metadata.name;
    const annotations = { 'extendeddaemonset.datadoghq.com/canary-valid': before };
    const object = agent('agent:2', { strategy, annotations });
    const active = replicaSet(1);
    const steps = stepsOf(snapshotOf({ object, replicaSets: [active] }));
    const made = steps.flatMap((step) => (step.do === 'create' ? step.object : []));
    const [name = before] = made.map(({ metadata }) => metadata.name);
    expect(name).not.toBe(before);
    const tried = { ...replicaSet(2, { name }), spec: renderReplicaSet(object).spec };
    const { roles } = decide(snapshotOf({ object, replicaSets: [active, tried] }), now).fleet ?? {};
    expect(roles).toMatchObject({ active: { metadata: { name: 'agent-1' } }, promoted: undefined });
    // And that name is taken once more when another one was validated meanwhile.
    const later = { 'extendeddaemonset.datadoghq.com/canary-valid': name };
    expect(renderReplicaSet(agent('agent:2', { annotations: later })).metadata.name).toBe(before);
  });

  it('inherits labels and annotations, but not those that are about the object alone, and its own label stands', () => {
    const found = agent('agent:1', {
      annotations: { team: 'x', 'extendeddaemonset.datadoghq.com/canary-paused': 'true' },
    });
    const labels = { team: 'x', 'extendeddaemonset.datadoghq.com/name': 'other' };
    const { metadata } = renderReplicaSet({ ...found, metadata: { ...found.metadata, labels } });
    expect(metadata.labels).toEqual({ team: 'x', 'extendeddaemonset.datadoghq.com/name': 'agent' });
    expect(Object.keys(metadata.annotations ?? {})).toEqual([
      'team',
      'extendeddaemonset.datadoghq.com/templatehash',
    ]);
  });

  it('is active at once where there is none yet, and does nothing before that is recorded', () => {
    const object = agent('agent:1', { strategy: { canary: {} }, status: { activeReplicaSet: '' } });
    const snapshot = snapshotOf({ object, nodes: nodesNamed('a'), replicaSets: [replicaSet(1)] });
    expect(wordsOf(snapshot)).toEqual([]);
    const written = report(snapshot, decide(snapshot, now), { results: [] }, now);
    expect(written.find(({ resource }) => resource === extendedDaemonSets)).toMatchObject({
      status: { activeReplicaSet: 'agent-1', state: 'Running' },
      urgent: true,
    });
  });
});

describe('the state of an object', () => {
  it.each([
    ['extendeddaemonset.datadoghq.com/rolling-update-paused', 'RollingUpdate Paused', 'RollingUpdatePaused'],
    ['extendeddaemonset.datadoghq.com/rollout-frozen', 'Rollout frozen', 'RolloutFrozen'],
  ])(
    'with %s is right in the write that first names the active replica set, and so is that of the replica set',
    (annotation, state, condition) => {
      const object = agent('agent:1', {
        annotations: { [annotation]: 'true' },
        status: { activeReplicaSet: '' },
      });
      const snapshot = snapshotOf({ object, nodes: nodesNamed('a'), replicaSets: [replicaSet(1)] });
      const [ofReplicaSet, ofObject] = report(snapshot, decide(snapshot, now), { results: [] }, now);
      expect(ofObject?.status).toMatchObject({ activeReplicaSet: 'agent-1', state });
      expect(ofReplicaSet?.status).toMatchObject({
        status: 'active',
        desired: 1,
        conditions: expect.arrayContaining([expect.objectContaining({ type: condition, status: 'True' })]),
      });
    },
  );

  it('is written once and not again while nothing changes', () => {
    const found = replicaSet(1);
    const first = snapshotOf({ nodes: nodesNamed('a'), replicaSets: [found], pods: [podOn('a', found)] });
    const [one, two] = report(first, decide(first, now), { results: [] }, now);
    const owner = first.owner && { ...first.owner, object: { ...first.owner.object, status: two?.status } };
    const second = { ...first, owner, replicaSets: [{ ...found, status: one?.status }] } as typeof first;
    const later = now + 60_000;
    const again = report(second, decide(second, later), { results: [] }, later);
    expect(again.map(({ status }) => status)).toEqual([one?.status, two?.status]);
  });
});

describe('the PodTemplate for cluster-autoscaler', () => {
  const found = replicaSet(1);
  const given = { nodes: nodesNamed('a'), replicaSets: [found], pods: [podOn('a', found)] };

  it.each([
    [
      'is made where there is none',
      snapshotOf({ ...given, podTemplate: undefined }),
      ['PodTemplateOutdated'],
    ],
    ['is left alone where it has the hash of the template', snapshotOf(given), []],
    [
      'follows the template',
      snapshotOf({ ...given, podTemplate: podTemplateOf(agent('agent:0')) }),
      ['PodTemplateOutdated'],
    ],
  ])('%s', (_, snapshot, words) => {
    expect(wordsOf(snapshot)).toEqual(words);
  });

  it('has the label that cluster-autoscaler asks for', () => {
    const [step] = stepsOf(snapshotOf({ ...given, podTemplate: undefined }));
    const label = { 'cluster-autoscaler.kubernetes.io/daemonset-pod': 'true' };
    expect(step).toMatchObject({ do: 'create', object: { metadata: { labels: label } } });
  });

  it('gets annotations where somebody took them all off, and keeps those that others wrote', () => {
    const made = podTemplateOf(agent('agent:1'));
    const pathsWith = (annotations: Readonly<Record<string, string>> | undefined) => {
      if (made === undefined) throw new Error('no PodTemplate is made');
      const { annotations: _, ...metadata } = made.metadata;
      const podTemplate = { ...made, metadata: { ...metadata, ...(annotations && { annotations }) } };
      const [step] = stepsOf(snapshotOf({ ...given, podTemplate }));
      const body = step?.do === 'patch' && step.patch.type === 'json' ? step.patch.body : [];
      return body.map(({ path }) => path).filter((path) => path.startsWith('/metadata/annotations'));
    };
    const hash = '/metadata/annotations/extendeddaemonset.datadoghq.com~1templatehash';
    expect(pathsWith(undefined)).toEqual(['/metadata/annotations', hash]);
    expect(pathsWith({ 'of-others': 'x' })).toEqual([hash]);
  });
});

describe('an obsolete replica set', () => {
  const [old, current] = [replicaSet(1), replicaSet(2)];
  const object = agent('agent:2', { status: { activeReplicaSet: 'agent-2' } });

  it.each([
    ['goes when it owns no pod', [], ['ReplicaSetObsolete']],
    ['stays while a pod of it is being deleted', [podOn('a', old, { ending: true })], []],
  ])('%s', (_, pods, words) => {
    const snapshot = snapshotOf({ object, nodes: nodesNamed(), replicaSets: [old, current], pods });
    expect(wordsOf(snapshot)).toEqual(words);
  });

  it('goes as it was seen, and without pods that were not: they are released, not ended', () => {
    const snapshot = snapshotOf({ object, nodes: nodesNamed(), replicaSets: [old, current] });
    const { uid, resourceVersion } = old.metadata;
    expect(stepsOf(snapshot)).toMatchObject([{ do: 'delete', uid, resourceVersion, propagation: 'Orphan' }]);
  });
});

describe('the conditions of the old operator', () => {
  const at = new Date(now).toISOString().replace('.000Z', 'Z');

  it('are written only once they were True, and keep reason and message when they turn False', () => {
    expect(mergeOldConditions([], [{ type: 'X', holds: false }], now)).toEqual([]);
    const held = mergeOldConditions(
      [],
      [{ type: 'X', holds: true, reason: 'R', message: 'm' }],
      now - 60_000,
    );
    expect(mergeOldConditions(held, [{ type: 'X', holds: false, reason: 'other' }], now)).toEqual([
      { type: 'X', status: 'False', reason: 'R', message: 'm', lastTransitionTime: at, lastUpdateTime: at },
    ]);
  });
});
