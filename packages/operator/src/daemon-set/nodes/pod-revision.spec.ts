import { daemonSetUpdate } from '@atoll/api';
import type { ControllerRevision, Pod, Stored } from '@atoll/kube';
import { describe, expect, it } from 'vitest';
import { agent, node, now, podOn, recorded, revision, snapshotOf, upgraded } from '../daemon-set.fixture.ts';
import { decide } from '../decide.ts';
import type { DaemonSetSnapshot } from '../observe.ts';
import { plan } from '../plan.ts';
import { upToDateStatement } from '../up-to-date.ts';

const { annotations } = daemonSetUpdate;
const labels = { app: 'agent' };

function template(image: string) {
  return { metadata: { labels }, spec: { containers: [{ name: 'agent', image }] } };
}

/** As its controller records it. */
function made(hash: string, number: number, image: string): Stored<ControllerRevision> {
  return {
    ...revision(hash, number),
    data: { spec: { template: { $patch: 'replace', ...template(image) } } },
  };
}

function shown(snapshot: DaemonSetSnapshot) {
  const decision = decide(snapshot, now);
  const { stages, guards = [] } = plan(snapshot, decision, now);
  return {
    steps: stages.flatMap(({ steps }) => steps.map(({ do: does, target }) => `${does} ${target ?? ''}`)),
    upToDate: decision.upgrade && upToDateStatement(decision.upgrade, undefined).status,
    guards: guards.map(({ key }) => key.name),
  };
}

/** Two nodes; that of b is none of the current template, or none that is known. */
function withPod(b: Stored<Pod>, history: readonly Stored<ControllerRevision>[], strategy: string) {
  const asked = { [annotations.updateStrategy]: strategy };
  const object = recorded(agent(asked, { template: template('agent:2') }));
  return snapshotOf({ object, history, nodes: [node('a'), node('b')], pods: [podOn('a', upgraded), b] });
}

/** Of a DaemonSet with the same labels, which has changed its template more often. */
const ofOther = { hash: 'other', generation: 7, created: '2026-01-01T00:30:00Z' };
const own = [made('old', 1, 'agent:1'), made('new', 8, 'agent:2')];

describe('a pod that a DaemonSet has adopted from another one, which had a higher template generation', () => {
  const history = [...own, made('other', 7, 'other:7')];

  it('is outdated: its revision, which was adopted too, is of another template', () => {
    expect(shown(withPod(podOn('b', ofOther), history, 'AdvancedRollingUpdate'))).toEqual({
      steps: ['delete b'],
      upToDate: 'False',
      guards: ['agent', 'agent-new', 'agent-other'],
    });
  });

  it('is offered to the owner of its node', () => {
    expect(shown(withPod(podOn('b', ofOther), history, 'OTA')).steps).toEqual(['patch a', 'patch b']);
    const { upToDate } = shown(withPod(podOn('b', ofOther), history, 'OTA'));
    expect(upToDate).toBe('False');
  });

  it('is current where both have the same template', () => {
    const same = [...own, made('other', 7, 'agent:2')];
    expect(shown(withPod(podOn('b', ofOther), same, 'AdvancedRollingUpdate')).steps).toEqual([]);
  });
});

it('a pod that is older than its DaemonSet is current where a newer controller has recorded its template anew', () => {
  // As after an upgrade of Kubernetes: an older one wrote `creationTimestamp: null` into each template.
  const asOlder = { ...template('agent:2'), metadata: { creationTimestamp: null, labels } };
  const older = { ...revision('older', 7), data: { spec: { template: { $patch: 'replace', ...asOlder } } } };
  const pod = podOn('b', { hash: 'older', generation: 1, created: '2025-12-01T00:00:00Z' });
  const snapshot = withPod(pod, [...own, older], 'AdvancedRollingUpdate');
  expect(shown(snapshot)).toMatchObject({ steps: [], upToDate: 'True' });
});

describe('a pod is current by its template generation', () => {
  it('where a newer API server fills in a field, so that its controller has recorded the same template anew', () => {
    const pod = podOn('b', { hash: 'old', generation: 2 });
    expect(shown(withPod(pod, own, 'AdvancedRollingUpdate'))).toMatchObject({ steps: [], upToDate: 'True' });
  });

  it('where its revision, and the DaemonSet, were not read yet', () => {
    const pod = podOn('b', { hash: 'next', generation: 3 });
    expect(shown(withPod(pod, own, 'AdvancedRollingUpdate')).steps).toEqual([]);
  });
});
