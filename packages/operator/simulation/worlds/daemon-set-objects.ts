import { daemonSetUpdate } from '@atoll/api';
import { controllerOf, controllerRevisions, daemonSets, isReady, nodes, pods } from '@atoll/kube';
import type { ControllerRevision, KubeObject, Resource } from '@atoll/kube';
import type { Store } from '../model/store.ts';
import { objectsOf } from '../world.ts';
import { stamp } from './world-options.ts';

const { annotations, podLabels } = daemonSetUpdate;

/** A DaemonSet, as far as its worlds read it; the template is one image. */
export interface SmallDaemonSet extends KubeObject {
  readonly spec: {
    readonly updateStrategy: { readonly type: string };
    readonly template: { readonly spec: { readonly image: string } };
  };
  readonly status?: { readonly observedGeneration?: number };
}

export interface SmallPod extends KubeObject {
  readonly spec: { readonly nodeName: string };
  readonly status?: { readonly phase?: string; readonly conditions?: readonly Found[] };
}

export interface SmallNode extends KubeObject {
  readonly status?: { readonly conditions?: readonly Found[] };
}

interface Found {
  readonly type: string;
  readonly status: string;
  readonly message?: string;
}

export const smallDaemonSets = daemonSets as unknown as Resource<SmallDaemonSet>;
export const smallPods = pods as unknown as Resource<SmallPod>;
export const smallNodes = nodes as unknown as Resource<SmallNode>;

/** Its pods never become ready. */
export const broken = 'broken';

const uid = 'uid-agent';
const ownerReferences = [{ apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'agent', uid, controller: true }];

export function agentOf(asked: Readonly<Record<string, string>>): SmallDaemonSet {
  return {
    metadata: {
      namespace: 'edge',
      name: 'agent',
      annotations: { ...asked, [annotations.templateGeneration]: '1' },
    },
    spec: { updateStrategy: { type: 'OnDelete' }, template: { spec: { image: 'v1' } } },
    status: { observedGeneration: 1 },
  };
}

/** As its controller records the template that the DaemonSet has in this generation. */
export function revisionOf(image: string, revision: number, generation: string): ControllerRevision {
  const labels = { [podLabels.controllerRevisionHash]: image };
  const made = { [annotations.templateGeneration]: generation };
  return {
    metadata: { namespace: 'edge', name: `agent-${image}`, labels, annotations: made, ownerReferences },
    data: { spec: { template: { $patch: 'replace', spec: { image } } } },
    revision,
  };
}

export function nodeNamed(name: string): SmallNode {
  return { metadata: { name, labels: {} }, ...readiness('True') };
}

/** As its controller makes it: bound to its node, and not ready. */
export function podOf(node: string, image: string, generation: string): SmallPod {
  const labels = {
    [podLabels.controllerRevisionHash]: image,
    [podLabels.templateGeneration]: generation,
  };
  return {
    metadata: { namespace: 'edge', name: `agent-${node}-${image}`, labels, ownerReferences },
    spec: { nodeName: node },
    status: { phase: 'Pending' },
  };
}

/** Of a node that goes away its kubelet reports nothing, and the node lifecycle controller writes so. */
export function readiness(status: 'True' | 'False' | 'Unknown') {
  return { status: { conditions: [{ type: 'Ready', status, lastTransitionTime: stamp }] } };
}

export function imageOf({ metadata }: KubeObject): string | undefined {
  return metadata.labels?.[podLabels.controllerRevisionHash];
}

export function isGoing({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined;
}

export function generationOf({ metadata }: SmallDaemonSet): string {
  return metadata.annotations?.[annotations.templateGeneration] ?? '';
}

/** The newest revision of the history. */
export function newestIn(store: Store): ControllerRevision | undefined {
  return [...objectsOf(store, controllerRevisions)]
    .filter((each) => controllerOf(each)?.uid === uid)
    .sort((a, b) => (b.revision ?? 0) - (a.revision ?? 0))[0];
}

/** Nodes that are Ready and have no available pod. */
export function downIn(store: Store): readonly string[] {
  const available = objectsOf(store, smallPods).filter((pod) => !isGoing(pod) && isReady(pod));
  const served = new Set(available.map(({ spec }) => spec.nodeName));
  return objectsOf(store, smallNodes)
    .filter(isReady)
    .map(({ metadata }) => metadata.name)
    .filter((name) => !served.has(name));
}
