import { extendedDaemonSetAnnotations as annotations } from '@atoll/api';
import { describe, expect, it } from 'vitest';
import { decide } from '../decide.ts';
import {
  agent,
  node,
  nodesNamed,
  now,
  podOn,
  replicaSet,
  snapshotOf,
} from '../extended-daemon-set.fixture.ts';
import { report } from '../report.ts';

const [old, active] = [replicaSet(0), replicaSet(1)];

function annotated(found: Readonly<Record<string, string>>) {
  const object = agent('agent:1', { annotations: found });
  const pods = [podOn('a', old), podOn('b', old)];
  const snapshot = snapshotOf({ object, replicaSets: [old, active], nodes: nodesNamed('a', 'b'), pods });
  const decision = decide(snapshot, now);
  const written = report(snapshot, decision, { results: [] }, now);
  const { status } = written.find(({ object: each }) => each === object) ?? {};
  return { ...decision, deleted: decision.fleet?.active?.deleted.length, status };
}

describe.each([
  ['rollout-frozen', annotations.rolloutFrozen],
  ['rolling-update-paused', annotations.rollingUpdatePaused],
])('the annotation %s', (_title, name) => {
  it('holds the rollout where it is "true"', () => {
    expect(annotated({ [name]: 'true' })).toMatchObject({ deleted: 0 });
  });

  it.each(['yes', 'True', '1', 'frozen'])('holds nothing where it is %j, and that is shown', (value) => {
    const { deleted, holds, status } = annotated({ [name]: value });
    expect(deleted).toBe(1);
    const problem = `the annotation ${name} is ${JSON.stringify(value)} and holds nothing: write "true" to hold the rollout, or remove it`;
    expect(holds).toContainEqual(
      expect.objectContaining({ reason: 'AnnotationIgnored', problem, bad: false }),
    );
    expect(status).toMatchObject({
      state: 'Running',
      conditions: expect.arrayContaining([
        expect.objectContaining({
          type: 'Ready',
          reason: 'MaxUnavailableReached',
          message: expect.stringContaining(`; ${problem}`),
        }),
        expect.objectContaining({ type: 'Progressing', status: 'True' }),
      ]),
    });
  });

  it.each(['false', '', 'False', 'no', 'off', '0'])('is silent where it is %j', (value) => {
    const { deleted, holds } = annotated({ [name]: value });
    expect(deleted).toBe(1);
    expect(holds.map(({ reason }) => reason)).not.toContain('AnnotationIgnored');
  });
});

it('a pod that is to go is named as long as a freeze keeps it', () => {
  const object = agent('agent:1', { annotations: { [annotations.rolloutFrozen]: 'true' } });
  const taints = [{ key: 'gone', effect: 'NoExecute' }];
  const nodes = [node('a'), node('b', { taints })];
  const pods = [podOn('a', active), podOn('b', active)];
  const snapshot = snapshotOf({ object, replicaSets: [active], nodes, pods });
  const decision = decide(snapshot, now);
  expect(decision.fleet?.unwanted.deleted).toEqual([]);
  const [{ status } = {}] = report(snapshot, decision, { results: [] }, now).filter(
    ({ object: each }) => each === object,
  );
  expect(status).toMatchObject({
    state: 'Rollout frozen',
    conditions: expect.arrayContaining([
      expect.objectContaining({
        type: 'Ready',
        status: 'True',
        message:
          'all 1 nodes run the current template and their pods are Ready; b: a pod is there that is to go; waiting until the annotation extendeddaemonset.datadoghq.com/rollout-frozen is removed, as by kubectl eds unfreeze-rollout agent -n edge',
      }),
    ]),
  });
});
