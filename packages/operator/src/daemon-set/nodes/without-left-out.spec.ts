import { daemonSetUpdate } from '@atoll/api';
import type { ControllerRevision, Pod, Stored } from '@atoll/kube';
import { describe, expect, it } from 'vitest';
import {
  agent,
  node,
  now,
  podOn,
  recorded,
  revision,
  snapshotOf,
  upgraded,
  type PodShape,
} from '../daemon-set.fixture.ts';
import { decide } from '../decide.ts';
import { plan } from '../plan.ts';
import { upToDateStatement } from '../up-to-date.ts';

const { annotations } = daemonSetUpdate;
const worker = { 'node-role.kubernetes.io/worker': '' };
const workers = [node('a', { labels: worker }), node('b', { labels: worker })];
const nodes = [...workers, node('infra')];

/** A pod into which admission put a node selector. */
function selecting(
  name: string,
  nodeSelector: Readonly<Record<string, string>>,
  shape?: PodShape,
): Stored<Pod> {
  const pod = podOn(name, shape);
  return { ...pod, spec: { ...pod.spec, containers: [], nodeSelector } };
}

function recordedAs(hash: string, number: number, spec: object = {}): Stored<ControllerRevision> {
  return { ...revision(hash, number), data: { spec: { template: { $patch: 'replace', spec } } } };
}

const history = [recordedAs('old', 1), recordedAs('new', 2)];
const old = ['a', 'b'].map((name) => selecting(name, worker));

/** `desired`: on how many nodes the DaemonSet controller wants a pod. */
function decided(change: Parameters<typeof snapshotOf>[0], desired = 2, strategy = 'AdvancedRollingUpdate') {
  const asked = recorded(agent({ [annotations.updateStrategy]: strategy }));
  const status = { ...asked.status, desiredNumberScheduled: desired } as NonNullable<typeof asked.status>;
  const snapshot = snapshotOf({ nodes, history, pods: old, ...change, object: { ...asked, status } });
  const decision = decide(snapshot, now);
  const { upgrade, holds } = decision;
  if (upgrade === undefined) throw new Error(holds[0]?.reason);
  const steps = plan(snapshot, decision, now).stages.flatMap((stage) => stage.steps);
  return {
    deletes: steps.flatMap((step) => (step.do === 'delete' ? [step.target] : [])),
    counts: upgrade.nodes.map(({ target }) => target.id),
    shown: upToDateStatement(upgrade, undefined),
  };
}

describe('a node that the node selector of the namespace leaves out, under OpenShift', () => {
  it('counts as none of the nodes, and keeps no pod of the others', () => {
    expect(decided({})).toMatchObject({ deletes: ['a'], counts: ['a', 'b'] });
  });

  it.each(['AdvancedRollingUpdate', 'OTA'])('is not waited for at the end (%s)', (strategy) => {
    const pods = ['a', 'b'].map((name) => selecting(name, worker, upgraded));
    expect(decided({ pods }, 2, strategy).shown).toMatchObject({
      status: 'True',
      message: 'all 2 nodes run the current template and their pods are available',
    });
  });

  it('does not count while it is away', () => {
    const away = node('infra', { awaySince: '2026-01-01T00:59:30Z' });
    expect(decided({ nodes: [...workers, away] }).counts).toEqual(['a', 'b']);
  });
});

describe('a node without a pod counts', () => {
  const all = ['a', 'b', 'infra'];

  it('that has what the pods select', () => {
    expect(decided({ nodes: [...nodes, node('c', { labels: worker })] }, 3)).toMatchObject({
      deletes: [],
      counts: ['a', 'b', 'c'],
    });
  });

  it('where the DaemonSet controller wants one there, as that of Kubernetes does', () => {
    expect(decided({}, 3)).toMatchObject({ deletes: [], counts: all });
  });

  it('where the DaemonSet controller wants one there, and none on a node that is tainted', () => {
    const taints = [{ key: 'maintenance', effect: 'NoSchedule' }] as const;
    const tainted = node('c', { labels: worker, taints });
    expect(decided({ nodes: [...nodes, tainted] }, 3)).toMatchObject({ deletes: [], counts: all });
  });

  it('where a pod is ending there', () => {
    const pods = [...old, selecting('infra', worker, { ending: true })];
    expect(decided({ pods })).toMatchObject({ deletes: [], counts: all });
  });

  it('where one of the pods selects less', () => {
    expect(decided({ pods: [...old.slice(1), podOn('a')] })).toMatchObject({ deletes: [], counts: all });
    expect(decided({ pods: [podOn('a'), ...old.slice(1)] })).toMatchObject({ deletes: [], counts: all });
  });

  it('where the template of the pods selected it, and the current one does not', () => {
    const before = [recordedAs('old', 1, { nodeSelector: worker }), recordedAs('new', 2)];
    expect(decided({ history: before })).toMatchObject({ deletes: [], counts: all });
  });

  it('where the template of a pod is not known', () => {
    const unknown = [revision('old', 1), recordedAs('new', 2)];
    const pods = [...old.slice(0, 1), selecting('b', worker, upgraded)];
    expect(decided({ history: unknown, pods })).toMatchObject({ deletes: [], counts: all });
  });

  it('where no pod is there at all', () => {
    expect(decided({ pods: [] }).counts).toEqual(all);
  });
});
