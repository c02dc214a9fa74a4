import {
  advancedStatefulSets,
  cloneSets,
  labels,
  type Subset,
  type UnitedDeployment,
  unitedDeployments,
} from '@atoll/api';
import {
  deployments,
  isReady,
  pods,
  statefulSets,
  type KubeObject,
  type Pod,
  type PodTemplateSpec,
  type Resource,
  type Stored,
  type StreamingClient,
} from '@atoll/kube';

export const namespace = 'default';
export const zones = ['zone-a', 'zone-b', 'zone-c', 'zone-d'] as const;
/** Nodes of zone-d keep everything away that does not tolerate it. */
export const zoneTaint = { key: 'example.com/zone', value: 'd', effect: 'NoSchedule' } as const;

export type TemplateKind =
  'deploymentTemplate' | 'statefulSetTemplate' | 'cloneSetTemplate' | 'advancedStatefulSetTemplate';

export const childResources: Readonly<Record<TemplateKind, Resource<Child>>> = {
  deploymentTemplate: deployments as Resource<KubeObject> as Resource<Child>,
  statefulSetTemplate: statefulSets as Resource<KubeObject> as Resource<Child>,
  cloneSetTemplate: cloneSets as Resource<KubeObject> as Resource<Child>,
  advancedStatefulSetTemplate: advancedStatefulSets as Resource<KubeObject> as Resource<Child>,
};

/** What the four kinds of children have in common. */
export interface Child extends KubeObject {
  readonly spec: {
    readonly replicas?: number;
    readonly template: PodTemplateSpec;
    readonly updateStrategy?: {
      readonly partition?: number;
      readonly rollingUpdate?: { readonly partition?: number };
    };
  };
  readonly status?: { readonly replicas?: number; readonly readyReplicas?: number };
}

export interface Shape {
  readonly name: string;
  readonly kind?: TemplateKind;
  readonly replicas?: number | undefined;
  readonly subsets: readonly Subset[];
  readonly image?: string;
  /** Beside those of the object. */
  readonly annotations?: Readonly<Record<string, string>>;
  /** Fields of the template's spec. */
  readonly workload?: object;
  /** Fields of the pods' spec. */
  readonly pods?: object;
  /** `spec.topology.scheduleStrategy` */
  readonly strategy?: object;
  readonly partitions?: Readonly<Record<string, number>>;
}

/** A UnitedDeployment of small pods in the default namespace. */
export function united(shape: Shape): UnitedDeployment {
  const { name, kind = 'deploymentTemplate', replicas, subsets, image = 'nginx:1.27' } = shape;
  const { annotations, workload, pods: podSpec, strategy, partitions } = shape;
  const app = { app: name };
  const template = {
    metadata: { labels: app },
    spec: {
      selector: { matchLabels: app },
      template: { metadata: { labels: app }, spec: { containers: [{ name: 'web', image }], ...podSpec } },
      ...workload,
    },
  };
  return {
    metadata: { namespace, name, ...(annotations === undefined ? {} : { annotations }) },
    spec: {
      ...(replicas === undefined ? {} : { replicas }),
      selector: { matchLabels: app },
      template: { [kind]: template },
      topology: { subsets, ...(strategy === undefined ? {} : { scheduleStrategy: strategy }) },
      ...(partitions === undefined ? {} : { updateStrategy: { manualUpdate: { partitions } } }),
    },
  } as UnitedDeployment;
}

/** A subset on the nodes of a zone; zone-d needs to be tolerated. */
export function inZone(name: string, zone: string, fields: Partial<Subset> = {}): Subset {
  return {
    name,
    nodeSelectorTerm: { matchExpressions: [{ key: 'node', operator: 'In', values: [zone] }] },
    ...(zone === 'zone-d' ? { tolerations: [{ ...zoneTaint, operator: 'Equal' }] } : {}),
    ...fields,
  };
}

/** Another image for the first container, as a person who rolls out. */
export async function setImage(
  client: StreamingClient,
  name: string,
  image: string,
  kind: TemplateKind = 'deploymentTemplate',
): Promise<void> {
  const path = `/spec/template/${kind}/spec/template/spec/containers/0/image`;
  const body = [{ op: 'replace', path, value: image }] as const;
  await client.patch(unitedDeployments, { namespace, name }, { type: 'json', body });
}

/** A merge patch of the spec, as `kubectl patch`. */
export async function patchSpec(client: StreamingClient, name: string, spec: object): Promise<void> {
  await client.patch(unitedDeployments, { namespace, name }, { type: 'merge', body: { spec } });
}

/** The children of one kind by subset, those that are going left out. */
export async function childrenOf(
  client: StreamingClient,
  name: string,
  kind: TemplateKind = 'deploymentTemplate',
): Promise<ReadonlyMap<string, Stored<Child>>> {
  const { items } = await client.list(childResources[kind], { namespace, labelSelector: `app=${name}` });
  const live = items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  return new Map(live.map((child) => [child.metadata.labels?.[labels.subsetName] ?? '', child]));
}

/** What each child is asked for. */
export async function replicasOf(
  client: StreamingClient,
  name: string,
  kind: TemplateKind = 'deploymentTemplate',
): Promise<Readonly<Record<string, number | undefined>>> {
  const children = await childrenOf(client, name, kind);
  return Object.fromEntries([...children].map(([subset, { spec }]) => [subset, spec.replicas]));
}

/** The pods that are not going. */
export async function podsOf(client: StreamingClient, name: string): Promise<readonly Stored<Pod>[]> {
  const { items } = await client.list(pods, { namespace, labelSelector: `app=${name}` });
  return items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
}

/** How many pods are Ready in each subset with an image. */
export async function readyIn(
  client: StreamingClient,
  name: string,
  image = 'nginx:1.27',
): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {};
  for (const pod of await podsOf(client, name)) {
    if (!isReady(pod) || pod.spec?.containers[0]?.image !== image) continue;
    const subset = pod.metadata.labels?.[labels.subsetName] ?? '';
    counts[subset] = (counts[subset] ?? 0) + 1;
  }
  return counts;
}

export async function podUids(client: StreamingClient, name: string): Promise<readonly string[]> {
  return (await podsOf(client, name)).map(({ metadata }) => metadata.uid).toSorted();
}

export function imageOf(child: Child | undefined): string | undefined {
  return child?.spec.template.spec?.containers[0]?.image;
}
