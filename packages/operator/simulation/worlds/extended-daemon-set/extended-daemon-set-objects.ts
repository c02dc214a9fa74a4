import {
  extendedDaemonSetAnnotations as annotations,
  extendedDaemonSetReplicaSets,
  extendedDaemonSets,
  extendedDaemonsetSettings,
  nodeResourcesAnnotation,
  type ExtendedDaemonSet,
  type ExtendedDaemonSetReplicaSet,
  type ExtendedDaemonsetSetting,
} from '@atoll/api';
import { controllerOf, isReady, nodes, pods, podTemplates } from '@atoll/kube';
import type { KubeObject, Node, Pod, Stored } from '@atoll/kube';
import { nodeOf } from '../../../src/children/pods/placement/node-of-pod.ts';
import type { InstalledDefinition } from '../../../src/children/lost-with-definition.ts';
import { decide } from '../../../src/extended-daemon-set/decide.ts';
import { renderPod } from '../../../src/extended-daemon-set/fleet/render-pod.ts';
import type { ExtendedDaemonSetSnapshot } from '../../../src/extended-daemon-set/observe.ts';
import { podOverrides } from '../../../src/extended-daemon-set/overrides/pod-overrides.ts';
import { podTemplateStep } from '../../../src/extended-daemon-set/steps/pod-template-step.ts';
import { report } from '../../../src/extended-daemon-set/report.ts';
import { renderReplicaSet } from '../../../src/extended-daemon-set/replica-sets/render-replica-set.ts';
import { definitions, withDefinition } from '../../model/definitions.ts';
import { emptyStore, seed, slotOf, storedOf } from '../../model/store.ts';
import type { Store } from '../../model/store.ts';
import { objectsOf } from '../../world.ts';
import { now, stamp } from '../world-options.ts';

/** Images that are not healthy: never ready, restarting too often, and impossible to pull. */
export const broken = 'broken';
export const crashing = 'crashing';
export const unpullable = 'unpullable';

/** Written by people with each template, so that it is clear which one comes next. */
export const editsAnnotation = 'example.test/edits';

export const agentCaches = [
  'extendedDaemonSets',
  'extendedDaemonSetReplicaSets',
  'extendedDaemonsetSettings',
  'definitionOfExtendedDaemonsetSettings',
  'extendedDaemonSetPods',
  'extendedDaemonSetPodTemplates',
  'daemonSets',
  'replacedDaemonSetPods',
  'nodes',
] as const;

export const agentKey = 'edge/agent';
const agentSlot = slotOf(extendedDaemonSets, { namespace: 'edge', name: 'agent' });
const agentUid = 'uid-agent';

export interface AgentShape {
  readonly nodes: readonly string[];
  /** undefined: a new template goes to all nodes at once. */
  readonly canary: NonNullable<ExtendedDaemonSet['spec']['strategy']>['canary'] | undefined;
  readonly maxUnavailable: number;
  /** The least interval between two batches of deletions. */
  readonly reconcileFrequency?: string;
  /** How long slow start allows one pod, then one more; undefined: it allows any number. */
  readonly slowStart?: string | undefined;
  /** A template that is rolled out, or tried, when the world begins; undefined: all is at rest. */
  readonly next?: string | undefined;
  /** `canary-valid` names the replica set of the first template. */
  readonly validated?: boolean;
  /** The processors that an annotation of each node asks for. */
  readonly annotated?: string | undefined;
  /** The nodes that have that annotation; undefined: all. */
  readonly annotatedNodes?: readonly string[] | undefined;
  /** The processors that a setting of all nodes asks for; undefined: there is none. */
  readonly overridden?: string | undefined;
  /** Each node has a setting of its own instead of one for all, and those of these nodes are gone; undefined: one for all. */
  readonly takenBack?: readonly string[] | undefined;
  /** Nodes that the object's selector leaves out by their label, so that they have no pod. */
  readonly leftOut?: readonly string[];
  /** Nodes with a taint that lets no pod stay, so that they have none. */
  readonly tainted?: readonly string[];
}

/** An ExtendedDaemonSet whose pods run on every node, as its controller leaves it. */
export function settledAgent(shape: AgentShape): Store {
  const { nodes: names, canary, next, annotated, annotatedNodes = names, validated } = shape;
  const { leftOut = [], tainted = [], overridden } = shape;
  const agent = agentWith(shape);
  const selecting = leftOut.length === 0 ? agent : { ...agent, spec: { ...agent.spec, selector } };
  let store = withDefinition(emptyStore, extendedDaemonsetSettings);
  store = seed(store, extendedDaemonSets, selecting, agentUid, stamp);
  const object = storedIn<ExtendedDaemonSet>(store, agentSlot);
  const rendered = renderReplicaSet(object);
  store = seed(store, extendedDaemonSetReplicaSets, rendered, 'uid-v1', stamp);
  const replicaSet = storedIn<ExtendedDaemonSetReplicaSet>(
    store,
    slotOf(extendedDaemonSetReplicaSets, { namespace: 'edge', name: rendered.metadata.name }),
  );
  const withoutPod = [
    ...leftOut.map((name) => ({ metadata: { name, labels: { [leftOutLabel]: 'yes' } } })),
    ...tainted.map((name) => ({ metadata: { name, labels: {} }, spec: { taints: [maintenance] } })),
  ];
  for (const node of withoutPod) {
    store = seed(store, nodes, { ...node, ...nodeReadiness('True') }, `uid-${node.metadata.name}`, stamp);
  }
  const settings = overridden === undefined ? [] : settingsFor(shape, overridden);
  for (const setting of settings)
    store = seed(store, extendedDaemonsetSettings, setting, `uid-${setting.metadata.name}`, stamp);
  for (const node of names) {
    store = seed(
      store,
      nodes,
      nodeNamed(node, annotatedNodes.includes(node) ? annotated : undefined),
      `uid-${node}`,
      stamp,
    );
    const found = storedIn<Node>(store, slotOf(nodes, { name: node }));
    const given = settingFor(store.objects, node) as Stored<ExtendedDaemonsetSetting> | undefined;
    const overrides = podOverrides(replicaSet.spec.template, object.metadata, found, given);
    const made = renderPod({ object, replicaSet, node, overrides, isCanary: false, failures: 0 });
    const pod = { ...made, spec: { ...made.spec, nodeName: node }, status: podStatusOf('v1') } as Pod;
    store = seed(store, pods, pod, `uid-pod-${node}`, stamp);
  }
  const asked =
    next === undefined ? object : { ...object, spec: { ...object.spec, template: templateOf(next) } };
  const step = podTemplateStep(asked, undefined);
  if (step?.do === 'create') store = seed(store, podTemplates, step.object, 'uid-template', stamp);
  const wanted = renderReplicaSet(asked);
  if (next !== undefined) store = seed(store, extendedDaemonSetReplicaSets, wanted, `uid-${next}`, stamp);
  for (const node of shape.takenBack ?? []) store = withoutObject(store, settingSlot(`small-${node}`));
  const [first, second] = [rendered.metadata.name, wanted.metadata.name];
  const tried = { replicaSet: second, nodes: names.slice(0, Number(canary?.replicas)) };
  const roles =
    next !== undefined && canary !== undefined
      ? { activeReplicaSet: first, canary: tried }
      : { activeReplicaSet: second };
  const written = { ...object.metadata.annotations, [annotations.canaryValid]: first };
  const metadata = validated === true ? { ...object.metadata, annotations: written } : object.metadata;
  const named = { ...asked, metadata, status: { ...object.status, ...roles } };
  return reported(reported(withObject(store, agentSlot, named as KubeObject)));
}

const leftOutLabel = 'left-out';
const selector = { matchExpressions: [{ key: leftOutLabel, operator: 'DoesNotExist' }] } as const;

const maintenance = { key: 'maintenance', effect: 'NoExecute' } as const;

/** The object's selector takes the node, and no taint keeps its pods off it. */
export function isToRunPod({ metadata, spec }: Node): boolean {
  return metadata.labels?.[leftOutLabel] === undefined && (spec?.taints ?? []).length === 0;
}

/** Somebody takes off the label by which the selector leaves the node out. */
export function selects(node: Node) {
  const patch = { metadata: { labels: { [leftOutLabel]: null } } };
  const isLeftOut = node.metadata.labels?.[leftOutLabel] !== undefined;
  return isLeftOut ? [{ label: `takes the label off ${node.metadata.name}`, patch }] : [];
}

/** Somebody takes off the taint that lets no pod stay on the node. */
export function untaints(node: Node) {
  const isTainted = (node.spec?.taints ?? []).length > 0;
  const label = `takes the taint off ${node.metadata.name}`;
  return isTainted ? [{ label, patch: { spec: { taints: null } } }] : [];
}

function agentWith({
  canary,
  maxUnavailable,
  reconcileFrequency = '1ms',
  slowStart,
}: AgentShape): ExtendedDaemonSet {
  const rollingUpdate = {
    maxUnavailable,
    slowStartIntervalDuration: slowStart ?? '1ms',
    slowStartAdditiveIncrease: slowStart === undefined ? 9 : 1,
  };
  return {
    metadata: { namespace: 'edge', name: 'agent', annotations: { [editsAnnotation]: '0' } },
    spec: {
      template: templateOf('v1'),
      strategy: { reconcileFrequency, rollingUpdate, ...(canary === undefined ? {} : { canary }) },
    },
  };
}

/** With the status that the controller writes. */
function reported(store: Store): Store {
  const all = <T extends KubeObject>(prefix: string): readonly Stored<T>[] =>
    [...store.objects].flatMap(([slot, held]) =>
      slot.startsWith(prefix) ? [storedOf(held) as unknown as Stored<T>] : [],
    );
  const snapshot: ExtendedDaemonSetSnapshot = {
    owner: { resource: extendedDaemonSets, object: storedIn<ExtendedDaemonSet>(store, agentSlot) },
    certain: true,
    replicaSets: all(slotOf(extendedDaemonSetReplicaSets, { name: '' })),
    pods: all('pods|'),
    formerPods: [],
    orphans: [],
    formerPodTemplate: undefined,
    podTemplate: all<KubeObject>('podtemplates|')[0] as ExtendedDaemonSetSnapshot['podTemplate'],
    nodes: all('nodes|'),
    oldDaemonSet: undefined,
    settings: all(slotOf(extendedDaemonsetSettings, { name: '' })),
    settingsOfOthers: [],
    definitionOfSettings: all<NonNullable<InstalledDefinition>>(slotOf(definitions, { name: '' }))[0],
    foreignWrites: { own: [], elsewhere: [] },
    validationMode: 'auto',
    findings: {},
    refused: new Map(),
  };
  let next = store;
  for (const { resource, object, status } of report(snapshot, decide(snapshot, now), { results: [] }, now)) {
    const { namespace = '', name } = object.metadata;
    const slot = slotOf(resource, { namespace, name });
    next = withObject(next, slot, { ...next.objects.get(slot)?.object, status } as unknown as KubeObject);
  }
  return next;
}

function withObject(store: Store, slot: string, object: KubeObject): Store {
  const held = store.objects.get(slot);
  if (held === undefined) throw new Error(`no ${slot}`);
  const { resourceVersion: _, ...metadata } = object.metadata;
  return {
    ...store,
    objects: new Map(store.objects).set(slot, { ...held, object: { ...object, metadata } }),
  };
}

function withoutObject(store: Store, slot: string): Store {
  return { ...store, objects: new Map([...store.objects].filter(([each]) => each !== slot)) };
}

function storedIn<T extends KubeObject>(store: Store, slot: string): Stored<T> {
  const held = store.objects.get(slot);
  if (held === undefined) throw new Error(`no ${slot}`);
  return storedOf(held) as unknown as Stored<T>;
}

export function templateOf(image: string): ExtendedDaemonSet['spec']['template'] {
  return { metadata: { labels: { app: 'agent' } }, spec: { containers: [{ name: 'agent', image }] } };
}

function nodeNamed(name: string, cpu?: string): Node {
  const annotations = cpu === undefined ? {} : { [cpuAnnotation]: JSON.stringify({ requests: { cpu } }) };
  return { metadata: { name, labels: { [hostLabel]: name }, annotations }, ...nodeReadiness('True') };
}

const cpuAnnotation = nodeResourcesAnnotation('edge', 'agent', 'agent');

const hostLabel = 'host';

/** A setting for the pods of all nodes, or of one. */
export function settingOf(cpu: string, node?: string): ExtendedDaemonsetSetting {
  return {
    metadata: { namespace: 'edge', name: node === undefined ? 'small' : `small-${node}` },
    spec: {
      reference: { kind: 'ExtendedDaemonset', name: 'agent' },
      nodeSelector: node === undefined ? {} : { matchLabels: { [hostLabel]: node } },
      containers: [{ name: 'agent', resources: { requests: { cpu } } }],
    },
  };
}

/** The settings that pods were made with. */
export function settingsFor(
  { nodes: names, takenBack }: Pick<AgentShape, 'nodes' | 'takenBack'>,
  cpu: string,
): readonly ExtendedDaemonsetSetting[] {
  return takenBack === undefined ? [settingOf(cpu)] : names.map((node) => settingOf(cpu, node));
}

/** Names of the settings that are there. */
export function settingNamesIn(store: Store): readonly string[] {
  return objectsOf(store, extendedDaemonsetSettings).map(({ metadata }) => metadata.name);
}

function settingFor(objects: Held, node: string): KubeObject | undefined {
  const slots = ['small', `small-${node}`].map(settingSlot);
  return slots.map((slot) => objects.get(slot)?.object).find((each) => each !== undefined);
}

function settingSlot(name: string): string {
  return slotOf(extendedDaemonsetSettings, { namespace: 'edge', name });
}

/** The processors that the pod of a node is to ask for: the annotation of the node comes before the setting. */
export function cpuFor(objects: Held, node: string): string | undefined {
  const text = objects.get(slotOf(nodes, { name: node }))?.object.metadata.annotations?.[cpuAnnotation];
  if (text !== undefined) return (JSON.parse(text) as { requests: { cpu: string } }).requests.cpu;
  const setting = settingFor(objects, node) as ExtendedDaemonsetSetting | undefined;
  return cpuIn(setting?.spec.containers?.[0]);
}

export function cpuOf(pod: Pod): string | undefined {
  return cpuIn(pod.spec?.containers[0]);
}

/** The store, or what a cache holds of it. */
type Held = ReadonlyMap<string, { readonly object: KubeObject }>;

function cpuIn(container: { readonly resources?: object } | undefined): string | undefined {
  const { requests } = (container?.resources ?? {}) as { readonly requests?: { readonly cpu?: string } };
  return requests?.cpu;
}

/** Of a node that goes away its kubelet reports nothing, and the node lifecycle controller writes so. */
export function nodeReadiness(status: 'True' | 'Unknown') {
  return { status: { conditions: [{ type: 'Ready', status, lastTransitionTime: stamp }] } };
}

/** The status that a kubelet writes for a pod of the image. */
export function podStatusOf(image: string): NonNullable<Pod['status']> {
  const isHealthy = ![broken, crashing, unpullable].includes(image);
  const restartCount = image === crashing ? 9 : 0;
  const message = `failed to pull image "${image}": not found`;
  const state = image === unpullable ? { waiting: { reason: 'ErrImagePull', message } } : { running: {} };
  const ended = { terminated: { exitCode: 1, reason: 'Error', finishedAt: stamp } };
  const lastState = restartCount === 0 ? {} : { lastState: ended };
  return {
    phase: 'Running',
    conditions: [{ type: 'Ready', status: isHealthy ? 'True' : 'False', lastTransitionTime: stamp }],
    containerStatuses: [
      { name: 'agent', image, imageID: image, ready: isHealthy, restartCount, state, ...lastState },
    ],
  } as NonNullable<Pod['status']>;
}

export function agentIn(store: Store): ExtendedDaemonSet | undefined {
  return store.objects.get(agentSlot)?.object as ExtendedDaemonSet | undefined;
}

export function agentKnown(known: ReadonlyMap<string, { readonly object: KubeObject }>) {
  return known.get(agentSlot)?.object as ExtendedDaemonSet | undefined;
}

export function replicaSetNamed(
  store: Store,
  name: string | undefined,
): ExtendedDaemonSetReplicaSet | undefined {
  return objectsOf(store, extendedDaemonSetReplicaSets).find(({ metadata }) => metadata.name === name);
}

/** Of the pod's replica set, if that is the object's. */
export function replicaSetOfPod(store: Store, pod: Pod): ExtendedDaemonSetReplicaSet | undefined {
  const owner = controllerOf(pod)?.uid;
  const found = objectsOf(store, extendedDaemonSetReplicaSets).find(({ metadata }) => metadata.uid === owner);
  return found !== undefined && controllerOf(found)?.uid === agentUid ? found : undefined;
}

export function podsIn(store: Store): readonly Pod[] {
  return objectsOf(store, pods);
}

export function imageIn({ spec }: Pod | ExtendedDaemonSet['spec']['template']): string {
  return spec?.containers[0]?.image ?? '';
}

export function nodeOfPod(pod: Pod): string {
  return nodeOf(pod) ?? '';
}

export function isGoing({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined;
}

export function hasAnnotation(
  object: ExtendedDaemonSet | undefined,
  name: keyof typeof annotations,
): boolean {
  return object?.metadata.annotations?.[annotations[name]] === 'true';
}

/** Nodes that are Ready and have no available pod, be it of the object or of the DaemonSet before it. */
export function downIn(store: Store): readonly string[] {
  const served = new Set(
    podsIn(store)
      .filter((pod) => !isGoing(pod) && isReady(pod))
      .map(nodeOfPod),
  );
  return objectsOf(store, nodes)
    .filter((node) => isReady(node) && isToRunPod(node))
    .map(({ metadata }) => metadata.name)
    .filter((name) => !served.has(name));
}
