import { describe, expect, it } from 'vitest';
import type { DaemonSet, Pod } from '@atoll/kube';
import { describeDaemonSet, isUpgraded } from './daemon-set-state.ts';
import { describeFleet } from './fleet-state.ts';
import { narrateFleet } from './narrate-fleet.ts';

const daemonSet: DaemonSet = {
  metadata: {
    namespace: 'default',
    name: 'gateway',
    uid: 'uid-gateway',
    generation: 2,
    annotations: {
      'apps.openyurt.io/update-strategy': 'OTA',
      'deprecated.daemonset.template.generation': '2',
    },
  },
  spec: { selector: {}, template: { spec: { containers: [{ name: 'c', image: 'nginx:1.28' }] } } },
  status: {
    observedGeneration: 2,
    currentNumberScheduled: 2,
    desiredNumberScheduled: 2,
    numberMisscheduled: 0,
    numberReady: 2,
    numberAvailable: 2,
  },
};

function pod(node: string, generation: string, owner = 'uid-gateway'): Pod {
  return {
    metadata: {
      name: `gateway-${node}`,
      labels: { 'pod-template-generation': generation },
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'gateway', uid: owner }],
    },
    spec: { nodeName: node, containers: [] },
    status: { conditions: [{ type: 'Ready', status: 'True' }] },
  };
}

describe('a DaemonSet that Atoll upgrades', () => {
  it('has one line for each of its pods, which shows whether it is of the new template', () => {
    const state = describeDaemonSet(daemonSet, [pod('n2', '1'), pod('n1', '2'), pod('n3', '2', 'uid-other')]);
    expect(narrateFleet(undefined, describeFleet([], [], [state]))).toEqual([
      'DaemonSet default/gateway on node n1: 1 of 1 pod ready',
      'DaemonSet default/gateway on node n2: 1 of 1 pod ready, 0 of the new template',
      'DaemonSet default/gateway with nginx:1.28: Ready',
    ]);
  });

  it('is not ready while its controller has not seen its spec, or while pods are not available', () => {
    const { status } = daemonSet;
    if (status === undefined) throw new Error('the example has a status');
    const unseen = describeDaemonSet({ ...daemonSet, status: { ...status, observedGeneration: 1 } }, []);
    expect(unseen).toMatchObject({ ready: false, reason: 'NotYetObserved' });
    const waiting = describeDaemonSet({ ...daemonSet, status: { ...status, numberAvailable: 1 } }, []);
    expect(waiting).toMatchObject({ ready: false, reason: 'WaitingForReady' });
  });

  it('is one that asks for it', () => {
    expect(isUpgraded(daemonSet)).toBe(true);
    expect(isUpgraded({ metadata: { name: 'other' } })).toBe(false);
  });
});
