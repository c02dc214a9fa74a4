import type { KubeObject, Resource } from '@atoll/kube';
import { deployments, statefulSets } from '@atoll/kube';
import { advancedStatefulSets, cloneSets } from '@atoll/api';
import { statusFollows } from './people.ts';
import type { Neighbour } from '../world.ts';

interface Workload extends KubeObject {
  readonly spec?: {
    readonly replicas?: number;
    readonly updateStrategy?: {
      readonly partition?: number | string;
      readonly rollingUpdate?: { readonly partition?: number };
    };
  };
  readonly status?: { readonly observedGeneration?: number };
}

/**
 * The controllers of Deployments, StatefulSets and OpenKruise's kinds with a kubelet behind them: what is asked for is observed,
 * made and available in one step, which is all that our decisions can tell apart.
 */
export function workloadControllers(): readonly Neighbour[] {
  return [
    statusFollows('deployment controller', deployments as Resource<Workload>, rolledOut),
    statusFollows('stateful set controller', statefulSets as Resource<Workload>, rolledOut),
    statusFollows('clone set controller', cloneSets as Resource<Workload>, rolledOut),
    statusFollows('advanced stateful set controller', advancedStatefulSets as Resource<Workload>, rolledOut),
  ];
}

function rolledOut(object: Workload): { readonly label: string; readonly status: object } | undefined {
  const { generation = 0, deletionTimestamp, name } = object.metadata;
  if (object.status?.observedGeneration === generation) return undefined;
  // What is being deleted is still observed, and nothing is made for it any more.
  if (deletionTimestamp !== undefined)
    return { label: `${name} is seen to go`, status: { observedGeneration: generation } };
  const { replicas = 1, updateStrategy: { partition, rollingUpdate } = {} } = object.spec ?? {};
  const heldBack = Number((object.kind === 'CloneSet' ? partition : rollingUpdate?.partition) ?? 0);
  return {
    label: `${name} is rolled out`,
    status: {
      observedGeneration: generation,
      replicas,
      readyReplicas: replicas,
      updatedReplicas: Math.max(0, replicas - heldBack),
      availableReplicas: replicas,
      conditions: [{ type: 'Available', status: 'True' }],
    },
  };
}
