import { annotations, labels } from '@atoll/api';
import type { PoolWorkload } from '@atoll/api';
import { deployments, statefulSets } from '@atoll/kube';
import type { KubeObject, ObjectKey, Resource, Stored, Toleration } from '@atoll/kube';
import { oldChild, oldRevision } from '../../src/pool-workload/take-over/old-operator.fixture.ts';
import { stamp } from './world-options.ts';

/** The objects of the worlds of pool workloads, as small as decisions allow, and what people do to them. */
export const web: ObjectKey = { namespace: 'edge', name: 'web' };

export const childKinds: readonly Resource<KubeObject>[] = [deployments, statefulSets];

interface Pods {
  readonly metadata?: { readonly labels?: Readonly<Record<string, string>> };
  readonly spec: {
    readonly containers: readonly { readonly name: string; readonly image: string }[];
    readonly tolerations?: readonly Toleration[];
    readonly nodeSelector?: Readonly<Record<string, string>>;
    readonly affinity?: { readonly podAntiAffinity?: object };
  };
}

export interface WithPods extends KubeObject {
  readonly spec?: { readonly template?: Pods };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly readyReplicas?: number;
    readonly availableReplicas?: number;
  };
}

/** The user's own placement, which has to survive rendering. */
export const placement = {
  tolerations: [{ key: 'mine', operator: 'Exists' }],
  nodeSelector: { disk: 'ssd' },
  affinity: { podAntiAffinity: {} },
} as const;

export function workload({ namespace = '', name } = web): PoolWorkload {
  return {
    metadata: { name, namespace },
    spec: {
      selector: { matchLabels: { app: 'web' } },
      nodepoolSelector: { matchLabels: { tier: 'a' } },
      workloadTemplate: {
        deploymentTemplate: {
          metadata: { labels: { app: 'web' } },
          spec: { replicas: 1, template: pods('web:1') },
        },
      },
    },
  };
}

function pods(image: string) {
  return {
    metadata: { labels: { app: 'web' } },
    spec: { ...placement, containers: [{ name: 'web', image }] },
  };
}

/** The workload as the API server had it when an older operator looked at it. */
function oldOwner(): Stored<PoolWorkload> {
  const { metadata, ...rest } = workload();
  const stored = {
    ...metadata,
    uid: 'uid-web',
    resourceVersion: '1',
    creationTimestamp: stamp,
    generation: 1,
  };
  return { ...rest, metadata: stored };
}

const oldRevisionName = 'web-5d4f8c';

/** What children run whose template an older operator was put back from, without doing anything about them. */
export const imagePutBack = 'web:0';

/** A child as an older operator left it, under a name of its own, with the older operator as the owner of its fields. */
export function leftIn(pool: string, suffix: string, isPutBack: boolean): KubeObject {
  const place = { owner: oldOwner(), pool: { metadata: { name: pool } }, revision: oldRevisionName };
  const child = oldChild({
    ...place,
    suffix,
    ...(isPutBack ? { spec: { template: pods(imagePutBack) } } : {}),
  });
  const fieldsV1 = { 'f:spec': { 'f:selector': {} } };
  const entry = { manager: 'yurt-manager', operation: 'Update', fieldsV1 } as const;
  return { ...child, metadata: { ...child.metadata, managedFields: [entry] } };
}

export function leftRevision(): KubeObject {
  return oldRevision(oldOwner(), oldRevisionName, 1);
}

/** A Deployment with our labels that nobody owns. */
export function strangerIn(pool: string): KubeObject {
  const object = {
    metadata: {
      name: 'stranger',
      namespace: web.namespace ?? '',
      labels: { app: 'web', [labels.poolName]: pool },
      annotations: { [annotations.refNodePool]: pool },
    },
    spec: { replicas: 1, template: pods('other:1') },
  };
  return object;
}

export function poolOf(child: KubeObject): string {
  return child.metadata.annotations?.[annotations.refNodePool] ?? '';
}

export function isSelected(pool: KubeObject): boolean {
  return pool.metadata.labels?.['tier'] === 'a';
}

export function templateOf(object: PoolWorkload): 'deploymentTemplate' | 'statefulSetTemplate' {
  return object.spec.workloadTemplate?.deploymentTemplate === undefined
    ? 'statefulSetTemplate'
    : 'deploymentTemplate';
}

export function childKindOf(object: PoolWorkload): Resource<KubeObject> {
  return (templateOf(object) === 'deploymentTemplate' ? deployments : statefulSets) as Resource<KubeObject>;
}

export function imageOf(object: PoolWorkload): string {
  const template = object.spec.workloadTemplate?.[templateOf(object)] as unknown as WithPods;
  return imageIn(template);
}

/** A child that stays as it was left: nobody has edited the template since. */
export function isKeptAsLeft(child: WithPods, owner: PoolWorkload): boolean {
  return imageIn(child) === imagePutBack && imageOf(owner) === 'web:1';
}

export function imageIn(child: WithPods): string {
  return child.spec?.template?.spec.containers[0]?.image ?? '';
}

/** A change by a person: words and merge patch. */
export interface Change {
  readonly label: string;
  readonly patch: object;
}

export function editImage(object: PoolWorkload): Change {
  const image = `web:${Number(imageOf(object).slice(4)) + 1}`;
  const template = { spec: { containers: [{ name: 'web', image }] } };
  const patch = { spec: { workloadTemplate: { [templateOf(object)]: { spec: { template } } } } };
  return { label: 'sets another image', patch };
}

export function relabel(): Change {
  const metadata = { labels: { team: 'blue' } };
  const patch = { spec: { workloadTemplate: { deploymentTemplate: { metadata } } } };
  return { label: 'labels the children, not their pods', patch };
}

export function scale(): Change {
  const spec = { replicas: 2 };
  return { label: 'scales to 2', patch: { spec: { workloadTemplate: { deploymentTemplate: { spec } } } } };
}

export function switchKind(object: PoolWorkload): Change {
  const from = templateOf(object);
  const to = from === 'deploymentTemplate' ? 'statefulSetTemplate' : 'deploymentTemplate';
  const template = object.spec.workloadTemplate?.[from];
  return {
    label: `makes it a ${to}`,
    patch: { spec: { workloadTemplate: { [from]: null, [to]: template } } },
  };
}

export function selectOrNot(pool: KubeObject): Change {
  const { name } = pool.metadata;
  return isSelected(pool)
    ? { label: `unlabels pool ${name}`, patch: { metadata: { labels: { tier: null } } } }
    : { label: `labels pool ${name}`, patch: { metadata: { labels: { tier: 'a' } } } };
}

export function taint({ metadata }: KubeObject): Change {
  const taints = [{ key: 'edge', effect: 'NoSchedule' }];
  return { label: `taints pool ${metadata.name}`, patch: { spec: { taints } } };
}

export function dropPoolLabel(child: KubeObject): Change {
  return {
    label: `takes the pool label from ${child.metadata.name}`,
    patch: { metadata: { labels: { [labels.poolName]: null } } },
  };
}
