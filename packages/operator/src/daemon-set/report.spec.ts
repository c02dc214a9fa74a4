import { daemonSetUpdate, fieldManagers, type Condition } from '@atoll/api';
import type { Taint } from '@atoll/kube';
import { refusalOf } from '@atoll/kube/testing';
import { describe, expect, it } from 'vitest';
import { statusPlan } from '../engine/reconcile/status-plan.ts';
import type { Outcome, Step } from '../engine/step.ts';
import { agent, node, now, podOn, revision, snapshotOf, upgraded } from './daemon-set.fixture.ts';
import { decide } from './decide.ts';
import { report } from './report.ts';

const { annotations, podConditions } = daemonSetUpdate;
const nothing: Outcome = { results: [] };

/** The conditions that are applied, with those that are found; undefined: nothing is written. */
function applied(
  change: Parameters<typeof snapshotOf>[0],
  outcome = nothing,
  found: readonly Condition[] = [],
) {
  const { object = agent(), ...more } = change;
  const status = { ...agent().status, ...object.status, conditions: found } as NonNullable<
    typeof object.status
  >;
  const snapshot = snapshotOf({ ...more, object: { ...object, status } });
  const { stages } = statusPlan(report(snapshot, decide(snapshot, now), outcome, now));
  const [step] = stages.flatMap(({ steps }) => steps);
  return step?.do === 'conditions' ? step : undefined;
}

function messages(change: Parameters<typeof snapshotOf>[0], outcome = nothing) {
  return applied(change, outcome)?.conditions.map(
    ({ type, status, reason, message }) => `${type}=${status} ${reason}: ${message}`,
  );
}

const nodes = [node('a'), node('b')];
const others = {
  type: 'Other',
  status: 'True',
  reason: 'R',
  message: 'm',
  lastTransitionTime: '2026-01-01T00:00:00Z',
} as const;

describe('the conditions of a DaemonSet', () => {
  it('report that all nodes are up to date', () => {
    const pods = [podOn('a', upgraded), podOn('b', upgraded)];
    expect(messages({ nodes, pods })).toEqual([
      'atoll.dev/UpToDate=True RolloutComplete: all 2 nodes run the current template and their pods are available',
      'atoll.dev/Held=False NothingHeld: nothing is waited for',
    ]);
    expect(messages({ nodes: [], pods: [] })?.[0]).toBe(
      'atoll.dev/UpToDate=True RolloutComplete: no node is to run a pod',
    );
  });

  describe('where a node got a taint that the template does not tolerate', () => {
    const tainted = (effect: string, ...more: readonly Taint[]) => {
      const taints = [{ key: 'dedicated', value: 'gpu', effect }, ...more];
      return [node('a'), node('b', { taints })];
    };
    const stays =
      'b: its pod of another template stays, because the template does not tolerate the taint dedicated=gpu:NoSchedule, so that none ' +
      'can be made in its place. Remove the taint, tolerate it in the template, or delete the pod';
    const away = { key: 'node.kubernetes.io/unreachable', effect: 'NoExecute' };

    it.each([
      ['AdvancedRollingUpdate', tainted('NoSchedule')],
      ['OTA', tainted('NoSchedule')],
      ['AdvancedRollingUpdate', tainted('NoSchedule', away)],
    ])('name the pod of another template that runs on there: %s', (strategy, fleet) => {
      const object = agent({ [annotations.updateStrategy]: strategy });
      const pods = [podOn('a', upgraded), podOn('b')];
      expect(messages({ object, nodes: fleet, pods })).toEqual([
        `atoll.dev/UpToDate=False NodeTainted: 1 of 2 nodes run the current template and their pods are available; ${stays}`,
        `atoll.dev/Held=True NodeTainted: ${stays}`,
      ]);
    });

    it.each<[string, Parameters<typeof snapshotOf>[0]]>([
      ['its pod is of the current template', { pods: [podOn('a', upgraded), podOn('b', upgraded)] }],
      ['its pod ends', { pods: [podOn('a', upgraded), podOn('b', { ending: true })] }],
      ['it runs none', { pods: [podOn('a', upgraded)] }],
      ['the taint ends its pod', { nodes: tainted('NoExecute') }],
      [
        'the template is not for it, so that its pod is deleted',
        {
          nodes: [node('a', { labels: { edge: 'yes' } }), ...tainted('NoSchedule').slice(1)],
          object: agent({}, { template: { spec: { containers: [], nodeSelector: { edge: 'yes' } } } }),
        },
      ],
    ])('do not, where %s', (_, change) => {
      const pods = [podOn('a', upgraded), podOn('b')];
      expect(messages({ nodes: tainted('NoSchedule'), pods, ...change })?.[0]).toBe(
        'atoll.dev/UpToDate=True RolloutComplete: all 1 nodes run the current template and their pods are available',
      );
    });
  });

  it('report no end before the revision of the current template was read, unless its controller counts all pods as updated', () => {
    const { templateGeneration } = annotations;
    const changed = agent({ [templateGeneration]: '3' });
    const made = revision('new', 2);
    const history = [{ ...made, metadata: { ...made.metadata, annotations: { [templateGeneration]: '2' } } }];
    const pods = [podOn('a', upgraded), podOn('b', upgraded)];
    const counting = (updatedNumberScheduled: number) => {
      const status = { ...changed.status, desiredNumberScheduled: 2, updatedNumberScheduled };
      return messages({ object: { ...changed, status } as typeof changed, nodes, pods, history });
    };
    const waits =
      'waiting until the revision of the current template is read, or the DaemonSet controller counts all pods as updated';
    expect(counting(0)).toEqual([
      `atoll.dev/UpToDate=Unknown TemplateNotSeen: all 2 nodes run the newest template that is known, and their pods are available; ${waits}`,
      `atoll.dev/Held=True TemplateNotSeen: ${waits}`,
    ]);
    // An older revision became the newest again.
    expect(counting(2)?.[0]).toContain('atoll.dev/UpToDate=True RolloutComplete');
  });

  it('report how far the rollout is and what it waits for', () => {
    const pods = [podOn('a', { ...upgraded, ready: false }), podOn('b')];
    const waits =
      'b: waiting until the number of nodes that are unavailable or being changed is below 1 (now 1: a)';
    expect(messages({ nodes, pods })).toEqual([
      `atoll.dev/UpToDate=False MaxUnavailableReached: 0 of 2 nodes run the current template and their pods are available; ${waits}`,
      `atoll.dev/Held=True MaxUnavailableReached: ${waits}`,
    ]);
  });

  describe('where a pod of the current template does not become available, and the cause was found', () => {
    const broken = podOn('a', { ...upgraded, ready: false });
    const message = 'pod agent-a-new on node a: container agent cannot pull its image agent:2: not found';
    const { name } = broken.metadata;
    const finding = { word: 'ImagePullBackOff', message, pods: [name], nodes: ['a'] } as const;
    const taints = [{ key: 'maintenance', effect: 'NoSchedule' }];
    const ota = agent({ [annotations.updateStrategy]: 'OTA' });
    const isTainted = [...nodes, node('c', { taints })];
    const andOld = [broken, podOn('b'), podOn('c')];

    it.each<[string, Parameters<typeof snapshotOf>[0]]>([
      ['owners of other nodes have not upgraded yet', { object: ota, nodes, pods: [broken, podOn('b')] }],
      ['an old pod stays under a taint', { nodes: isTainted, pods: andOld }],
      ['both', { object: ota, nodes: isTainted, pods: andOld }],
    ])('name it, also where %s', (_, change) => {
      expect(messages({ finding, ...change })?.[1]).toBe(
        `atoll.dev/Held=True ImagePullBackOff: a: ${message}`,
      );
    });

    it.each<[string, string, Parameters<typeof snapshotOf>[0]]>([
      ['Paused', 'the rollout is paused', { object: agent({ [annotations.rolloutPaused]: 'true' }) }],
      ['UpgradeAvailable', 'no cause was found', { object: ota, finding: undefined }],
      [
        'UpgradeAvailable',
        'it is the cause of another pod',
        { object: ota, finding: { ...finding, pods: ['agent-b-old'] } },
      ],
      [
        'ImagePullBackOff',
        'nothing else is waited for',
        { object: ota, pods: [broken, podOn('b', upgraded)] },
      ],
    ])('report %s first where %s', (reason, _, change) => {
      const { conditions = [] } = applied({ finding, nodes, pods: [broken, podOn('b')], ...change }) ?? {};
      expect(conditions.map((each) => each.reason)).toEqual([reason, reason]);
    });
  });

  it('are Stalled where only a person can help', () => {
    const object = agent({ [annotations.maxUnavailable]: 'some' });
    expect(messages({ object, nodes })?.map((text) => text.split(':')[0])).toEqual([
      'atoll.dev/UpToDate=Unknown InvalidUpgradeStrategy',
      'atoll.dev/Held=True InvalidUpgradeStrategy',
      'Stalled=True InvalidUpgradeStrategy',
    ]);
  });

  it('report what the API server refused', () => {
    const error = refusalOf(403, 'delete pod agent-a', 'no');
    const step = {
      do: 'delete',
      target: 'a',
      ifRefused: 'PodRefused',
      why: { word: 'PodOutdated', message: '' },
    };
    const results = [{ step: step as Step, did: 'failed', error }] as const;
    expect(messages({ nodes, pods: [podOn('a'), podOn('b')] }, { results })?.[1]).toBe(
      'atoll.dev/Held=True PodRefused: a: delete pod agent-a: no',
    );
  });

  it('are applied by themselves, under an owner of their own, and leave all others as they are', () => {
    const step = applied({ nodes, pods: [] }, nothing, [others]);
    expect(step?.fieldManager).toBe(fieldManagers.daemonSetConditions);
    expect(step?.conditions.map(({ type }) => type)).toEqual(['atoll.dev/UpToDate', 'atoll.dev/Held']);
  });

  it('are not written again while they say the same', () => {
    const step = applied({ nodes, pods: [] });
    expect(applied({ nodes, pods: [] }, nothing, [others, ...(step?.conditions ?? [])])).toBeUndefined();
  });

  it('stay while a cache is not filled', () => {
    const { conditions = [] } = applied({ nodes, pods: [] }) ?? {};
    expect(applied({ certain: false }, nothing, conditions)).toBeUndefined();
  });

  it('stay while the DaemonSet is being deleted', () => {
    const { conditions = [] } = applied({ nodes, pods: [] }) ?? {};
    const going = { ...agent().metadata, deletionTimestamp: '2026-01-01T00:00:00Z' };
    expect(applied({ object: { ...agent(), metadata: going } }, nothing, conditions)).toBeUndefined();
  });

  it('are written without delay where one of them turns, and in their turn where only a text changes', () => {
    const { conditions = [] } = applied({ nodes, pods: [podOn('a')] }) ?? {};
    const isUrgent = (found: readonly Condition[]) => {
      const status = { ...agent().status, conditions: found } as ReturnType<typeof agent>['status'];
      const snapshot = snapshotOf({
        nodes,
        pods: [podOn('b')],
        object: { ...agent(), ...(status && { status }) },
      });
      return report(snapshot, decide(snapshot, now), nothing, now)[0]?.urgent;
    };
    expect(isUrgent(conditions)).toBe(false);
    expect(isUrgent(conditions.slice(1))).toBe(true);
    expect(isUrgent([])).toBe(true);
  });

  it('go when the DaemonSet asks for nothing any more and nothing is left on its pods', () => {
    const { conditions = [] } = applied({ nodes, pods: [] }) ?? {};
    const object = { ...agent(), metadata: { ...agent().metadata, annotations: {} } };
    expect(applied({ object, nodes }, nothing, [others, ...conditions])?.conditions).toEqual([]);
    const pod = podOn('a');
    const marked = { ...pod, status: { conditions: [{ type: podConditions.needUpgrade, status: 'True' }] } };
    expect(applied({ object, nodes, pods: [pod] }, nothing, conditions)?.conditions).toEqual([]);
    expect(applied({ object, nodes, pods: [pod, marked] }, nothing, conditions)).toBeUndefined();
  });
});
