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
  readonly status?: { readonly observedGeneration?: number; readonly availableReplicas?: number };
}

type Change = { readonly label: string; readonly status: object } | undefined;

/**
 * The controllers of Deployments, StatefulSets and OpenKruise's kinds with a kubelet behind them: what is asked for is observed,
 * made and available in one step. `slowly`: in two, and in between all pods are of the wanted template, and only those are
 * available that were before.
 */
export function workloadControllers({ slowly = false } = {}): readonly Neighbour[] {
  const next = slowly ? rolledOutSlowly : rolledOut;
  return [
    statusFollows('deployment controller', deployments as Resource<Workload>, next),
    statusFollows('stateful set controller', statefulSets as Resource<Workload>, next),
    statusFollows('clone set controller', cloneSets as Resource<Workload>, next),
    statusFollows('advanced stateful set controller', advancedStatefulSets as Resource<Workload>, next),
  ];
}

function rolledOut(object: Workload): Change {
  const { generation = 0, name } = object.metadata;
  if (object.status?.observedGeneration === generation) return undefined;
  return seenToGo(object) ?? { label: `${name} is rolled out`, status: statusOf(object) };
}

function rolledOutSlowly(object: Workload): Change {
  const { generation = 0, name } = object.metadata;
  const { replicas = 1 } = object.spec ?? {};
  const { observedGeneration, availableReplicas = 0 } = object.status ?? {};
  const available = Math.min(availableReplicas, replicas);
  if (observedGeneration !== generation)
    return seenToGo(object) ?? { label: `${name} is updated`, status: statusOf(object, available) };
  if (object.metadata.deletionTimestamp !== undefined || available === replicas) return undefined;
  return { label: `${name} becomes available`, status: statusOf(object) };
}

/** What is being deleted is still observed, and nothing is made for it any more. */
function seenToGo({ metadata: { deletionTimestamp, generation = 0, name } }: Workload): Change {
  if (deletionTimestamp === undefined) return undefined;
  return { label: `${name} is seen to go`, status: { observedGeneration: generation } };
}

function statusOf({ kind, metadata, spec }: Workload, available = spec?.replicas ?? 1): object {
  const { replicas = 1, updateStrategy: { partition, rollingUpdate } = {} } = spec ?? {};
  const heldBack = Number((kind === 'CloneSet' ? partition : rollingUpdate?.partition) ?? 0);
  return {
    observedGeneration: metadata.generation ?? 0,
    replicas,
    readyReplicas: available,
    updatedReplicas: Math.max(0, replicas - heldBack),
    availableReplicas: available,
    conditions: [{ type: 'Available', status: available === replicas ? 'True' : 'False' }],
  };
}
