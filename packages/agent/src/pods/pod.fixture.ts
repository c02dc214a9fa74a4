import { daemonSetUpdate } from '@atoll/api';
import type { Pod, PodCondition, Stored } from '@atoll/kube';

const { needUpgrade } = daemonSetUpdate.podConditions;

/** For tests: a pod of a DaemonSet on `node-1` that is to be upgraded to revision `new`. */
export function upgradablePod(
  change: {
    readonly metadata?: Partial<Stored<Pod>['metadata']>;
    readonly nodeName?: string;
    readonly conditions?: readonly PodCondition[];
  } = {},
): Stored<Pod> {
  return {
    metadata: {
      namespace: 'edge',
      name: 'agent-x1',
      uid: 'uid-1',
      resourceVersion: '5',
      creationTimestamp: '2026-01-01T00:00:00Z',
      ownerReferences: [
        { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'agent', uid: 'ds-1', controller: true },
      ],
      ...change.metadata,
    },
    spec: { nodeName: change.nodeName ?? 'node-1', containers: [{ name: 'c', image: 'i' }] },
    status: { conditions: change.conditions ?? [needs('True')] },
  };
}

export function needs(status: 'True' | 'False', revision = 'new'): PodCondition {
  return { type: needUpgrade, status, message: `controllerrevision: ${revision}` };
}
