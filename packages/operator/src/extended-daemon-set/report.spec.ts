import { expect, it } from 'vitest';
import { decide } from './decide.ts';
import { agent, nodesNamed, now, podOn, replicaSet, snapshotOf } from './extended-daemon-set.fixture.ts';
import { plan } from './plan.ts';
import { report } from './report.ts';

const object = agent('agent:1');
const known = {
  object: { ...object, metadata: { ...object.metadata, generation: 2 } },
  replicaSets: [replicaSet(1)],
  nodes: nodesNamed('a'),
  pods: [podOn('a', replicaSet(1))],
};

const setting = {
  metadata: { ...object.metadata, name: 'big-nodes', uid: 'uid-big-nodes' },
  spec: { reference: { kind: 'ExtendedDaemonset', name: 'agent' }, nodeSelector: {}, containers: [] },
};

it('before caches are filled nothing is decided, planned or written, and no generation counts as seen', () => {
  const snapshot = snapshotOf({ ...known, settings: [setting], certain: false });
  const decision = decide(snapshot, now);
  expect(decision.fleet).toBeUndefined();
  expect(plan(snapshot, decision, now).stages).toEqual([]);
  // Nor that a setting is valid: nodes may be missing on which it conflicts with another.
  expect(report(snapshot, decision, { results: [] }, now)).toEqual([]);
});

it('afterwards each status has the generation that was seen', () => {
  const of = <T extends { readonly metadata: object }>(one: T, generation: number): T => ({
    ...one,
    metadata: { ...one.metadata, generation },
  });
  const settings = [of(setting, 3)];
  const snapshot = snapshotOf({ ...known, replicaSets: [of(replicaSet(1), 4)], settings });
  const written = report(snapshot, decide(snapshot, now), { results: [] }, now);
  expect(written.map(({ resource: { kind }, status }) => [kind, status])).toMatchObject([
    ['ExtendedDaemonSetReplicaSet', { observedGeneration: 4 }],
    ['ExtendedDaemonSet', { observedGeneration: 2 }],
    ['ExtendedDaemonsetSetting', { observedGeneration: 3 }],
  ]);
});
