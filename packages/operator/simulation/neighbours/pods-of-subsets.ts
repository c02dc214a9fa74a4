import { cloneSets, labels } from '@atoll/api';
import { controllerOf, isReady, keyOf, pods } from '@atoll/kube';
import type { KubeObject, Resource } from '@atoll/kube';
import { slotOf, storedOf } from '../model/store.ts';
import type { Store } from '../model/store.ts';
import { objectsOf } from '../world.ts';
import type { Move, Neighbour } from '../world.ts';

/** How many pods of a subset find a node. */
export interface Room extends KubeObject {
  readonly spec: { readonly pods: number };
}

export const rooms: Resource<Room> = {
  group: 'example.test',
  version: 'v1',
  kind: 'Room',
  plural: 'rooms',
  namespaced: false,
};

interface Workload extends KubeObject {
  readonly spec?: {
    readonly replicas?: number;
    readonly updateStrategy?: { readonly partition?: number };
    readonly template?: { readonly metadata?: { readonly labels?: Readonly<Record<string, string>> } };
  };
  readonly status?: Readonly<Record<string, unknown>>;
}

export interface SmallPod extends KubeObject {
  readonly status?: {
    readonly phase?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

export const smallPods = pods as unknown as Resource<SmallPod>;
const workloads = cloneSets as unknown as Resource<Workload>;

/**
 * The CloneSet controller, the scheduler and the kubelets: pods come, find a node or none, and are counted. `updates`: they are also
 * updated in place, beyond the partition.
 */
export function podsOfSubsets({ updates = false } = {}): Neighbour {
  return {
    name: 'clone set controller',
    moves: (store) => objectsOf(store, workloads).flatMap((owner) => movesFor(owner, store, updates)),
  };
}

export function podsOf(store: Store, owner: KubeObject): readonly SmallPod[] {
  return objectsOf(store, smallPods).filter((pod) => controllerOf(pod)?.uid === owner.metadata.uid);
}

export function roomIn(store: Store, subset: string): number {
  return objectsOf(store, rooms).find(({ metadata }) => metadata.name === subset)?.spec.pods ?? 0;
}

/** One thing at a time, in a fixed order: how quickly its controller is makes no difference here. */
function movesFor(owner: Workload, store: Store, updates: boolean): readonly Move[] {
  if (owner.metadata.deletionTimestamp !== undefined) return [];
  const own = podsOf(store, owner);
  const { replicas = 1 } = owner.spec ?? {};
  const free = roomIn(store, owner.metadata.labels?.[labels.subsetName] ?? '') - own.filter(isReady).length;
  const waiting = own.find((pod) => !isReady(pod));
  const excess = waiting ?? own.at(-1);
  if (own.length < replicas) return [create(owner, own, free > 0, store)];
  if (own.length > replicas && excess !== undefined) return [remove(excess)];
  if (waiting !== undefined && free > 0) return [becomeReady(waiting, store)];
  const old = updates ? own.filter((pod) => !isOfTemplate(pod, owner)) : [];
  const [outdated] = old.toSorted((a, b) => Number(isReady(a)) - Number(isReady(b)));
  if (outdated !== undefined && old.length > (owner.spec?.updateStrategy?.partition ?? 0))
    return [update(outdated, owner, store)];
  const ready = own.filter(isReady).length;
  const status = {
    observedGeneration: owner.metadata.generation ?? 0,
    replicas: own.length,
    readyReplicas: ready,
    updatedReplicas: own.length - old.length,
    availableReplicas: ready,
  };
  if (JSON.stringify(status) === JSON.stringify(owner.status)) return [];
  const object = { ...stored(store, workloads, owner), status } as KubeObject;
  const label = `counts ${ready} of ${own.length} pods of ${owner.metadata.name} ready`;
  return [{ label, operation: { verb: 'update', resource: workloads, object, subresource: 'status' } }];
}

function create(owner: Workload, own: readonly SmallPod[], fits: boolean, store: Store): Move {
  const { name, namespace = '', uid = '' } = owner.metadata;
  const taken = own.map((pod) => pod.metadata.name);
  const index = [0, 1, 2, 3, 4, 5].find((each) => !taken.includes(`${name}-${each}`)) ?? 0;
  const reference = { apiVersion: 'apps.kruise.io/v1alpha1', kind: 'CloneSet', name, uid, controller: true };
  const object = {
    metadata: {
      name: `${name}-${index}`,
      namespace,
      labels: owner.spec?.template?.metadata?.labels ?? {},
      ownerReferences: [reference],
    },
    status: fits ? running(timeOf(store)) : unschedulable(timeOf(store)),
  } as KubeObject;
  const label = `makes pod ${name}-${index}, which ${fits ? 'runs' : 'finds no node'}`;
  return { label, operation: { verb: 'put', resource: smallPods, object } };
}

function isOfTemplate({ metadata }: SmallPod, { spec }: Workload): boolean {
  const wanted = spec?.template?.metadata?.labels?.[labels.subsetRevision];
  return metadata.labels?.[labels.subsetRevision] === wanted;
}

function update(pod: SmallPod, { spec }: Workload, store: Store): Move {
  const found = stored(store, smallPods, pod);
  const next = { ...found.metadata.labels, ...spec?.template?.metadata?.labels };
  const object = { ...found, metadata: { ...found.metadata, labels: next } };
  const label = `updates pod ${pod.metadata.name}`;
  return { label, operation: { verb: 'update', resource: smallPods, object } };
}

function remove(pod: SmallPod): Move {
  const { name, uid = '' } = pod.metadata;
  return {
    label: `deletes pod ${name}`,
    operation: { verb: 'delete-now', resource: smallPods, key: keyOf(pod), uid },
  };
}

function becomeReady(pod: SmallPod, store: Store): Move {
  const object = { ...stored(store, smallPods, pod), status: running(timeOf(store)) } as KubeObject;
  const operation = { verb: 'update', resource: smallPods, object, subresource: 'status' } as const;
  return { label: `pod ${pod.metadata.name} finds a node`, operation };
}

/** Neighbours know no clock: what is ready has long been so, where nobody asks since when. */
function timeOf(_store: Store): string {
  return '2026-01-01T00:00:00Z';
}

function running(at: string): object {
  const conditions = [
    { type: 'PodScheduled', status: 'True', lastTransitionTime: at },
    { type: 'Ready', status: 'True', lastTransitionTime: at },
  ];
  return { phase: 'Running', conditions };
}

function unschedulable(at: string): object {
  const conditions = [
    { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', lastTransitionTime: at },
  ];
  return { phase: 'Pending', conditions };
}

function stored<T extends KubeObject>(store: Store, resource: Resource<T>, object: T): KubeObject {
  const held = store.objects.get(slotOf(resource, keyOf(object)));
  if (held === undefined) throw new Error(`no ${resource.kind} ${object.metadata.name}`);
  return storedOf(held);
}
